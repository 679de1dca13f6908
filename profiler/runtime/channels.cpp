// A channel is told by what both of its ends know: a pipe by its inode, a stream by the ports of its ends, a pair
// of sockets by the inode of the end that sends, an eventfd by its descriptor.
#include "profiler/runtime/channels.h"
#include "profiler/runtime/control/system_calls.h"
#include <netinet/in.h>
#include <sys/stat.h>

namespace symbiosis::runtime {
namespace {

using control::systemCall;

constexpr uint32_t kMostChannels = 4096; // a power of two
struct Key {
  uint64_t key;    // 0: free
  uint64_t number; // of the channel; 0: it is being given
};
Key keys[kMostChannels] = {};
struct Channel {
  uint64_t sent, taken;
};
Channel channels[kMostChannels + 1] = {}; // by number
uint64_t channelsMade = 0;

constexpr int kMostDescriptors = 4096;
constexpr uint32_t kOneByOne = 1u << 31;
uint32_t eventfds[kMostDescriptors] = {}; // 0: none; otherwise which, in order of creation, perhaps with kOneByOne
uint32_t eventfdsMade = 0;

struct Pair {
  uint64_t inodes[2];
};
constexpr uint32_t kMostPairs = 512;
Pair pairs[kMostPairs] = {};
uint32_t pairsMade = 0;

constexpr uint32_t kMostPipes = 512;
uint64_t pipes[kMostPipes] = {}; // their inodes
uint32_t pipesMade = 0;

enum class Sort : uint64_t { pipe = 1, eventfd, pair, stream, datagram, listener };

// Never 0.
uint64_t keyOf(Sort sort, uint64_t a, uint64_t b = 0) {
  uint64_t key = uint64_t(sort);
  const uint64_t words[] = {a, b};
  for (const uint64_t word : words) key = (key ^ word ^ (key >> 29)) * 0xBF58476D1CE4E5B9 + 1;
  return key | 1;
}

// Its number, from 1 in order of first use, which is the same in runs that are alike; 0: there are too many.
uint64_t numberOf(uint64_t key) {
  for (uint32_t i = 0; i < kMostChannels; ++i) {
    const uint32_t at = (uint32_t(key >> 20) + i) & (kMostChannels - 1);
    uint64_t found = 0, number = 0;
    if (__atomic_compare_exchange_n(&keys[at].key, &found, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      __atomic_store_n(&keys[at].number, __atomic_add_fetch(&channelsMade, 1, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
    else if (found != key)
      continue;
    while (!(number = __atomic_load_n(&keys[at].number, __ATOMIC_ACQUIRE))) systemCall(SYS_sched_yield);
    return number;
  }
  return 0;
}

bool look(int descriptor, struct stat& file) {
  return systemCall(SYS_fstat, descriptor, reinterpret_cast<long>(&file)) == 0;
}

// Both families of addresses have the port at the same place.
uint64_t portOf(const sockaddr_storage& address) {
  return address.ss_family == AF_INET || address.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port)
             : 0;
}

uint64_t portOfEnd(int descriptor, long call) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  if (systemCall(call, descriptor, reinterpret_cast<long>(&address), reinterpret_cast<long>(&length)) < 0)
    return 0;
  return portOf(address);
}

int typeOf(int descriptor) {
  int type = 0;
  socklen_t length = sizeof type;
  const long arguments[6] = {
      descriptor, SOL_SOCKET, SO_TYPE, reinterpret_cast<long>(&type), reinterpret_cast<long>(&length), 0};
  control::systemCall6(SYS_getsockopt, arguments);
  return type;
}

uint64_t channelOfSocket(int descriptor, uint64_t inode, Flow flow) {
  for (uint32_t i = 0; i < pairsMade; ++i)
    for (int end = 0; end < 2; ++end)
      if (pairs[i].inodes[end] == inode)
        return numberOf(keyOf(Sort::pair, pairs[i].inodes[flow == Flow::out ? end : 1 - end]));
  const uint64_t own = portOfEnd(descriptor, SYS_getsockname), other = portOfEnd(descriptor, SYS_getpeername);
  if (typeOf(descriptor) == SOCK_DGRAM) {
    const uint64_t port = flow == Flow::out ? other : own;
    return port ? numberOf(keyOf(Sort::datagram, port)) : 0;
  }
  if (!own || !other) return 0;
  return numberOf(flow == Flow::out ? keyOf(Sort::stream, own, other) : keyOf(Sort::stream, other, own));
}

} // namespace

bool isEventfd(int descriptor) {
  return descriptor >= 0 && descriptor < kMostDescriptors && eventfds[descriptor] != 0;
}

bool givesAll(int descriptor) { return isEventfd(descriptor) && !(eventfds[descriptor] & kOneByOne); }

bool isDatagram(int descriptor) {
  const int type = typeOf(descriptor);
  return type == SOCK_DGRAM || type == SOCK_SEQPACKET;
}

bool isChannel(int descriptor) {
  struct stat file;
  if (isEventfd(descriptor)) return true;
  return look(descriptor, file) && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode));
}

uint64_t channelOf(int descriptor, Flow flow) {
  struct stat file;
  if (isEventfd(descriptor)) return numberOf(keyOf(Sort::eventfd, eventfds[descriptor]));
  if (!look(descriptor, file)) return 0;
  if (S_ISFIFO(file.st_mode)) return numberOf(keyOf(Sort::pipe, file.st_dev, file.st_ino));
  return S_ISSOCK(file.st_mode) ? channelOfSocket(descriptor, file.st_ino, flow) : 0;
}

uint64_t channelOfListener(int descriptor) {
  const uint64_t port = portOfEnd(descriptor, SYS_getsockname);
  return port ? numberOf(keyOf(Sort::listener, port)) : 0;
}

uint64_t channelTo(const sockaddr* address) {
  if (!address || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) return 0;
  const uint64_t port = ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
  return numberOf(keyOf(Sort::listener, port));
}

format::ChannelUse noteSent(uint64_t channel, uint64_t units) {
  if (!channel) return {};
  return {channel, __atomic_fetch_add(&channels[channel].sent, units, __ATOMIC_ACQ_REL), units, 0};
}

format::ChannelUse noteTaken(uint64_t channel, uint64_t units, bool showsMore) {
  if (!channel) return {};
  Channel& at = channels[channel];
  const uint64_t before = __atomic_fetch_add(&at.taken, units, __ATOMIC_ACQ_REL);
  const uint64_t sent = __atomic_load_n(&at.sent, __ATOMIC_ACQUIRE);
  // Somebody outside has sent it, or it was counted at the wrong place.
  if (before + units > (sent & (format::kChannelEnd - 1))) return {};
  // Nothing there: whatever else has been counted is sent later.
  const uint64_t ends = sent & ~(format::kChannelEnd - 1);
  if (units == 0 && showsMore) return {channel, before, 0, ends | before | format::kExactly};
  return {channel, before, units, sent | (showsMore ? format::kExactly : 0)};
}

format::ChannelUse noteLook(uint64_t channel, bool isReady) {
  if (!channel) return {};
  const uint64_t taken = __atomic_load_n(&channels[channel].taken, __ATOMIC_ACQUIRE);
  const uint64_t sent = __atomic_load_n(&channels[channel].sent, __ATOMIC_ACQUIRE);
  const bool hasBytes = taken < (sent & (format::kChannelEnd - 1));
  if (isReady && hasBytes) return {channel, taken, 1, sent | format::kOnlyLooks};
  // Nothing there, or the end. What is ready all the same comes from somewhere else.
  return isReady && sent < format::kChannelEnd ? format::ChannelUse{} : noteTaken(channel, 0, true);
}

uint64_t sentThrough(int descriptor) {
  return __atomic_load_n(&channels[channelOf(descriptor, Flow::in)].sent, __ATOMIC_RELAXED);
}

void noteEventfd(int descriptor, bool oneByOne) {
  if (descriptor < 0 || descriptor >= kMostDescriptors) return;
  const uint32_t number = __atomic_add_fetch(&eventfdsMade, 1, __ATOMIC_RELAXED);
  eventfds[descriptor] = number | (oneByOne ? kOneByOne : 0);
}

void notePair(const int (&descriptors)[2]) {
  if (pairsMade == kMostPairs) return;
  struct stat first, second;
  if (look(descriptors[0], first) && look(descriptors[1], second))
    pairs[pairsMade++] = {{first.st_ino, second.st_ino}};
}

void notePipe(int descriptor) {
  struct stat file;
  if (pipesMade < kMostPipes && look(descriptor, file)) pipes[pipesMade++] = file.st_ino;
}

bool isWithinProcess(int descriptor) {
  struct stat file;
  if (isEventfd(descriptor)) return true;
  if (!look(descriptor, file)) return false;
  for (uint32_t i = 0; i < pipesMade && S_ISFIFO(file.st_mode); ++i)
    if (pipes[i] == file.st_ino) return true;
  for (uint32_t i = 0; i < pairsMade && S_ISSOCK(file.st_mode); ++i)
    if (pairs[i].inodes[0] == file.st_ino || pairs[i].inodes[1] == file.st_ino) return true;
  return false;
}

void forgetDescriptor(int descriptor) {
  if (isEventfd(descriptor)) eventfds[descriptor] = 0;
}

} // namespace symbiosis::runtime
