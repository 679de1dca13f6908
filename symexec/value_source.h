#pragma once
// What a load of possibly-shared memory yields. There are two walks of each thread: the first finds out which
// memory is shared, the second makes events of what is. What a load yields depends on what was recorded of it:
//
//                    first walk             second walk, shared memory     second walk, private memory
//   logged           what was logged        a symbol, observed as that     our last write, compared with it
//   not logged       unknown                a symbol without a value       our last write
//   walked together  anybody's last write   a symbol, guessed to be that   our last write
//
// At level `full` every load was logged; at `addresses` those in the address slice (no address depends on the
// others); at `path` none was, and the first walk takes all threads together (walk_together.h). A source is made
// for the level and the walk; it also hears of what is written, because that is what later loads will yield.
#include "symexec/thread_memory.h"

namespace symbiosis {

class ValueSource {
public:
  ValueSource(WalkContext& context, LogReader& logs, const CallStack& stack, ScalarMath& math,
              ThreadMemory& memory)
      : context_(context), logs_(logs), stack_(stack), math_(math), memory_(memory) {}
  virtual ~ValueSource() = default;
  static std::unique_ptr<ValueSource> make(WalkContext& context, LogReader& logs, const CallStack& stack,
                                           ScalarMath& math, ThreadMemory& memory);

  // --- loads (loads.cpp) ---
  // Puts what the access at `step` reads into the thread's memory. `event` gets a part for each shared piece;
  // null: nothing of it is shared.
  void read(RawEvent* event, const Step& step, uint64_t address, uint64_t size);
  // The access could have been here, and was not: shared pieces become symbols that have no value.
  void readElsewhere(RawEvent& event, uint64_t address, uint64_t size);
  // Takes what was logged for a load or copy out of the log; null: nothing was, or it is not to be used.
  const uint8_t* takeLogged(const Step& step, uint64_t size);
  // A function of libc has looked at these bytes.
  virtual void looksAt(uint64_t address, uint64_t size) = 0;

  // --- stores (stores.cpp) ---
  // After a store: what the thread's memory holds there counts for others, and is what `event` writes.
  virtual void wrote(RawEvent* event, uint64_t address, uint64_t size) = 0;
  // After a store that is no access of the program's own: nobody has touched the memory, but threads that are
  // walked together must find the value.
  virtual void stored(uint64_t, uint64_t) {}
  // A function outside may have written anything there.
  virtual void changedOutside(Range range) = 0;
  // An object begins to live there: nothing is left of what was there before.
  virtual void slotBegins(Range) {}
  virtual void blockBegins(Range block, bool isZero);

  // --- how far the values can be trusted ---
  bool guesses() const { return context_.level == format::Level::path; }
  bool logsEverything() const { return context_.level == format::Level::full; }
  // If a decision went otherwise than this value says, something is wrong.
  virtual bool isCertain(const Scalar& value) const { return value.known; }

protected:
  virtual void readLogged(RawEvent* event, const Step& step, uint64_t address, uint64_t size,
                          const uint8_t* bytes) = 0;
  virtual void readUnlogged(RawEvent* event, uint64_t address, uint64_t size) = 0;
  // A shared piece becomes a symbol; `value`: what it was, if that is known or guessed.
  RawPart& addSymbol(RawEvent& event, const Piece& piece, std::optional<uint64_t> value);

  WalkContext& context_;
  LogReader& logs_;
  const CallStack& stack_;
  ScalarMath& math_;
  ThreadMemory& memory_;
};

} // namespace symbiosis
