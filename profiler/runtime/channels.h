#pragma once
// Pipes, sockets and eventfds between threads of one process. The runtime counts what goes through each of them;
// so it is known of every read what had to be sent before. Natively what is sent counts before it is sent and what
// is taken after it was: of two threads that send into one channel at the same time it is a guess who was first.
#include "trace/format.h"
#include <sys/socket.h>

namespace symbiosis::runtime {

enum class Flow : uint8_t { out, in };

bool isChannel(int descriptor);
bool isEventfd(int descriptor);
bool isDatagram(int descriptor); // a socket of which a read takes one message
// 0: nobody of this process can be at the other end.
uint64_t channelOf(int descriptor, Flow flow);
// Where those who listen at the descriptor, or at the address, are met.
uint64_t channelOfListener(int descriptor);
uint64_t channelTo(const sockaddr* address);
// The calling thread sends or has taken so much. `showsMore`: it would have got more, had there been more; of
// nothing at all: it has seen the end.
format::ChannelUse noteSent(uint64_t channel, uint64_t units);
format::ChannelUse noteTaken(uint64_t channel, uint64_t units, bool showsMore);
// It has been told whether there is something to take.
format::ChannelUse noteLook(uint64_t channel, bool isReady);
uint64_t sentThrough(int descriptor); // until now, to who reads from it

void noteEventfd(int descriptor, bool oneByOne);
bool givesAll(int descriptor); // an eventfd of which a read takes all
void notePair(const int (&descriptors)[2]);
void notePipe(int descriptor); // one of its ends; the process has made it
// An eventfd, pipe or pair of sockets that this process has made: unless it has children, nobody else is at its
// ends.
bool isWithinProcess(int descriptor);
void forgetDescriptor(int descriptor); // it is being closed

} // namespace symbiosis::runtime
