#pragma once
// The sources of values (value_source.h): one for each walk, and for the walks of level `path`. What they yield to
// loads is in loads.cpp, what they make of stores in stores.cpp.
#include "symexec/value_source.h"

namespace symbiosis {

// Notes who touches what.
class FirstWalk : public ValueSource {
public:
  using ValueSource::ValueSource;
  void looksAt(uint64_t address, uint64_t size) override;
  void wrote(RawEvent* event, uint64_t address, uint64_t size) override;
  void changedOutside(Range range) override;
  void slotBegins(Range slot) override;

protected:
  void readLogged(RawEvent* event, const Step& step, uint64_t address, uint64_t size,
                  const uint8_t* bytes) override;
  void readUnlogged(RawEvent* event, uint64_t address, uint64_t size) override;

private:
  void noteChanges(uint64_t address, uint64_t size, const uint8_t* logged);
};

// At level `path`: through the memory of all threads.
class FirstWalkTogether : public FirstWalk {
public:
  using FirstWalk::FirstWalk;
  void wrote(RawEvent* event, uint64_t address, uint64_t size) override;
  void stored(uint64_t address, uint64_t size) override;
  void changedOutside(Range range) override;
  void slotBegins(Range slot) override;
  void blockBegins(Range block, bool isZero) override;
  bool isCertain(const Scalar&) const override { return false; }

protected:
  void readUnlogged(RawEvent* event, uint64_t address, uint64_t size) override;
};

// Makes symbols of what is shared.
class SecondWalk : public ValueSource {
public:
  using ValueSource::ValueSource;
  void looksAt(uint64_t address, uint64_t size) override;
  void wrote(RawEvent* event, uint64_t address, uint64_t size) override;
  void changedOutside(Range range) override;
  bool isCertain(const Scalar& value) const override { return value.known && !(guesses() && value.isSymbolic()); }

protected:
  void readLogged(RawEvent* event, const Step& step, uint64_t address, uint64_t size,
                  const uint8_t* bytes) override;
  void readUnlogged(RawEvent* event, uint64_t address, uint64_t size) override;
  void noteEarly(uint64_t address, uint64_t size); // WalkContext::early
  // What a shared piece of the load at `address` was, if that can be said.
  virtual std::optional<uint64_t> valueOf(const Piece& piece, uint64_t address) const;
};

// At level `path`: with the values that loads found when all threads were walked together.
class SecondWalkOfPath : public SecondWalk {
public:
  using SecondWalk::SecondWalk;

protected:
  void readUnlogged(RawEvent* event, uint64_t address, uint64_t size) override;
  std::optional<uint64_t> valueOf(const Piece& piece, uint64_t address) const override;

private:
  size_t next_ = 0; // byte of what the loads found
};

} // namespace symbiosis
