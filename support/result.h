#pragma once
// A value or an Error. Everything that input can cause returns one of these; `assert` is for our own bugs.
#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace symbiosis {

// Which exit code an error becomes (docs/architecture.md, "Exit codes").
enum class ErrorKind {
  nothingFound, // 1: nothing found or not reproduced
  badInput,     // 2: bad usage or input
  gaveUp,       // 3: a limit was reached, or the answer is incomplete
  internal,     // 70: a bug of ours
};

struct Error {
  ErrorKind kind = ErrorKind::badInput;
  // What, where, found/expected, and the next step. No trailing newline.
  std::string message;
};

inline Error badInput(std::string message) { return {ErrorKind::badInput, std::move(message)}; }
inline Error nothingFound(std::string message) { return {ErrorKind::nothingFound, std::move(message)}; }
inline Error gaveUp(std::string message) { return {ErrorKind::gaveUp, std::move(message)}; }
inline Error internalError(std::string message) { return {ErrorKind::internal, std::move(message)}; }

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), std::get<0>(state_); }
  const T& value() const& { return assert(ok()), std::get<0>(state_); }
  T&& value() && { return assert(ok()), std::move(std::get<0>(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return assert(!ok()), std::get<1>(state_); }

private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const { return assert(!ok_), error_; }

private:
  Error error_;
  bool ok_ = true;
};

} // namespace symbiosis
