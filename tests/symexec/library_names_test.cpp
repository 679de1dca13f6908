#include "symexec/library_names.h"
#include <gtest/gtest.h>

namespace symbiosis {
namespace {

TEST(LibraryNames, LeaveOutWhatBelongsToALibrary) {
  EXPECT_EQ(withoutLibraryParts("counter._M_i"), "counter");
  EXPECT_EQ(withoutLibraryParts("current._M_b._M_p"), "current");
  EXPECT_EQ(withoutLibraryParts("queue->guard._M_mutex.__data.__lock"), "queue->guard");
  EXPECT_EQ(withoutLibraryParts("flag._M_base._M_i"), "flag");
  EXPECT_EQ(withoutLibraryParts("entry._M_ptr->hits"), "entry->hits");
  EXPECT_EQ(withoutLibraryParts("this->_M_ptr->hits"), "hits");
  EXPECT_EQ(withoutLibraryParts("this->_M_func._M_t._M_head_impl.total"), "total");
  EXPECT_EQ(withoutLibraryParts("this->_M_functor[0].done"), "done");
}

TEST(LibraryNames, SayWhatUsersOfAContainerSay) {
  EXPECT_EQ(withoutLibraryParts("names._M_impl._M_start"), "names.begin()");
  EXPECT_EQ(withoutLibraryParts("this->names._M_impl._M_finish"), "this->names.end()");
  EXPECT_EQ(withoutLibraryParts("text._M_string_length"), "text.size()");
}

TEST(LibraryNames, KeepWhatTheProgramHasNamed) {
  for (const char* name : {"total", "this->peak", "accounts[2].balance", "(*matrix)[1]", "*item",
                           "table[head->_M_i]", "node->next->value", "__shared_slot", "__w[9]._M_wait"})
    EXPECT_EQ(withoutLibraryParts(name), name);
}

TEST(LibraryNames, AreToldFromOthers) {
  for (const char* name : {"*__ptr", "__p->port", "_M_wait", "this", "this->_M_i"})
    EXPECT_TRUE(isLibraryName(name)) << name;
  for (const char* name : {"this->peak", "total", "*item", "_mine", "", "*"})
    EXPECT_FALSE(isLibraryName(name)) << name;
}

} // namespace
} // namespace symbiosis
