#pragma once
// Readable names of memory accesses from debug information: `queue->filled`, `accounts[2]`, `*item` (FINDINGS E).
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace symbiosis {

// The value of an index at this moment, if it is known.
using IndexValue = std::function<std::optional<int64_t>(const llvm::Value*)>;

bool isLibraryCode(const llvm::DISubprogram* function);

class NameFinder {
public:
  explicit NameFinder(const llvm::Module& module);
  // Name of the `size` bytes that `pointer` points to, as instruction `at` sees them; empty if nothing is known.
  std::string nameOf(const llvm::Value* pointer, const llvm::Instruction* at, uint64_t size,
                     const IndexValue& index);
  // Name of the object that a member function is called for: of several that begin at `pointer` the one of this
  // type.
  std::string nameOfReceiver(const llvm::Value* pointer, const llvm::Instruction* at, llvm::DIType* pointerType,
                             const IndexValue& index);
  // Name of the object whose member functions of a library, inlined around `at`, lead to it: `ports` at an access
  // to a node of the map. The outermost one that has a name of the program's own; empty if there is none.
  std::string nameOfOwner(const llvm::Instruction* at, const IndexValue& index);
  // Name of the variable that a stack slot or a global is; empty if unknown.
  std::string nameOfSlot(const llvm::AllocaInst& slot);
  std::string nameOfGlobal(const llvm::GlobalVariable& global);
  // Name of the member at `offset` in such a variable; empty if unknown.
  std::string nameInSlot(const llvm::AllocaInst& slot, uint64_t offset);
  std::string nameInGlobal(const llvm::GlobalVariable& global, uint64_t offset);

private:
  // An lvalue: an object of type `type` named `text`, and how far behind its beginning we are.
  struct Place {
    std::string text;
    llvm::DIType* type = nullptr;
    int64_t offset = 0;
    bool throughPointer = false; // `text` names a pointer to the object
    bool isVague = false;        // `text` is the `this` of a library
  };
  std::optional<Place> find(const llvm::Value* pointer, const llvm::Instruction* at, const IndexValue& index,
                            int depth);
  std::optional<Place> findByStructure(const llvm::Value* pointer, const llvm::Instruction* at,
                                       const IndexValue& index, int depth);
  std::optional<Place> fromDebugVariable(const llvm::Value* value, const llvm::Instruction* at);
  std::optional<Place> pointedToBy(std::string text, llvm::DIType* pointerType, int64_t offset);
  std::optional<Place> fromLoad(const llvm::LoadInst& load, const IndexValue& index, int depth);
  std::optional<Place> fromArgument(const llvm::Argument& argument, const llvm::Instruction* at);
  bool descend(Place& place, uint64_t size, const llvm::DIType* wanted = nullptr);
  std::string finishAs(const Place& place, llvm::DIType* pointerType);
  std::string finish(std::optional<Place> place, uint64_t size);
  struct Receiver {
    const llvm::Value* value = nullptr; // null: not known
    llvm::DIType* type = nullptr;       // of the pointer
  };
  Receiver receiverOf(const llvm::Function& function, const llvm::DILocation* place);
  llvm::DIType* strip(llvm::DIType* type) const;
  bool isPointer(llvm::DIType* type) const;
  uint64_t sizeOf(llvm::DIType* type) const;

  const llvm::DataLayout& layout_;
  std::map<std::string, llvm::DICompositeType*> definitions_; // by identifier, for forward declarations
  // `this` of each member function that is inlined, by that function and where it is inlined; made when first
  // asked for.
  using Inlined = std::pair<const llvm::DISubprogram*, const llvm::DILocation*>;
  std::map<const llvm::Function*, std::map<Inlined, Receiver>> receivers_;
};

} // namespace symbiosis
