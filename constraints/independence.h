#pragma once
// Which next events are *safe*: no event that another thread can still execute before it conflicts with it, now or
// later. A safe event can be taken at once, without trying anything else in its place: a persistent set of one.
// Accesses under the mutex that guards their cell are safe while it is held, if every other thread must acquire it
// before its next access to the cell; so critical sections run as units and only their acquisition is a choice. So
// is a whole critical section in which nothing concerns others, if nobody needs to find its lock taken.
#include "constraints/must_order.h"
#include "constraints/relevance.h"

namespace symbiosis {

// By part: the mutexes that its thread holds. Program order alone decides it.
std::vector<std::vector<uint32_t>> heldMutexes(const CompiledTrace& code);

class Independence {
public:
  Independence(const CompiledTrace& code, const Relevance& relevance);

  // From now on nothing has happened. What `order` says holds in every schedule in question; it may be nullptr.
  void reset(const MustOrder* order);
  void executed(EventRef event) { count(event, -1); }
  void undone(EventRef event) { count(event, 1); }
  // Of an event that is possible now.
  bool isSafe(EventRef event) const;
  // Not kNoEvent: this acquisition is safe only together with all events up to this release of its thread.
  EventRef neutralSection(EventRef acquire) const { return neutralUntil_[acquire]; }

private:
  // What is left to do; of a cell or object by all threads, and by one thread.
  struct CellWork {
    int32_t accesses = 0, writes = 0;
    int32_t uncovered = 0; // accesses without the mutex that guards the cell
  };
  struct ObjectWork {
    int32_t operations = 0;
    int32_t busy = 0;  // tries that must find it taken: they conflict with a release
    int32_t takes = 0; // of what others want too
    int32_t locks = 0; // that wait until a mutex is free
  };
  template <typename Work> struct Tally {
    std::vector<Work> all, ofThread; // by cell or object; by (thread, cell or object)
  };

  void count(EventRef event, int32_t sign);
  // What one thread does with a cell or object, in program order.
  struct User {
    ThreadIndex thread = 0;
    uint32_t pair = 0; // in Tally::ofThread
    std::vector<EventRef> events, writes;
  };
  template <typename Left>
  bool allComeLater(EventRef event, const std::vector<User>& users, std::vector<EventRef> User::* list,
                    Left left) const;
  void findUsers();
  template <typename PairOf> void findStrangers(PairOf pairOf);
  void findNeutralSections();
  bool concernsNobodyElse(EventRef event) const;
  void chooseGuards(const std::vector<std::vector<uint32_t>>& held);
  ObjectWork others(uint32_t object, uint32_t pair) const;
  enum class Guards { count, ignored };
  bool isAccessSafe(EventRef event, Guards guards) const;
  bool isGuarded(uint32_t part, ThreadIndex thread) const;

  const CompiledTrace& code_;
  const Relevance& relevance_;
  std::vector<EventRef> neutralUntil_;           // by event
  std::vector<uint32_t> cellPair_;               // by part: its thread's place in Tally::ofThread
  std::vector<bool> isCovered_;                  // by part
  std::vector<uint32_t> objectPair_, mutexPair_; // by event
  std::vector<uint32_t> threadsUsing_;           // by object
  // A thread that accesses a cell without the cell's guard, and where it does and where it takes the guard.
  struct Stranger {
    ThreadIndex thread = 0;
    uint32_t cellPair = 0, guardPair = kNone;
    std::vector<EventRef> accesses;
  };
  std::vector<std::vector<Stranger>> strangers_; // by cell
  std::vector<std::vector<User>> cellUsers_, objectUsers_;
  const MustOrder* order_ = nullptr;
  std::vector<uint32_t> guard_;              // by cell: object, or kNone
  std::vector<std::vector<EventRef>> locks_; // by (thread, object)
  Tally<CellWork> cells_, initialCells_;
  Tally<ObjectWork> objects_, initialObjects_;
};

} // namespace symbiosis
