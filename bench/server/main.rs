//! An OpenAI-compatible server with known timing, to bench clients against. One thread, one epoll loop, no crates.
//!
//! Every request is answered on a schedule that starts when its last byte reached the kernel (SO_TIMESTAMPNS), not when
//! this process got round to reading it: whatever the server adds is lateness of the server, kept per event and told by
//! `GET /stats`, so that a bench need not charge it to the client. `GET /stats/arrivals` gives the wall-clock millisecond
//! at which each request arrived; `POST /stats/reset` starts a new count.
//!
//!   ttft-ms 50, itl-ms 10, tokens 100   headers at once; the role delta and the first token in one write at ttft, one
//!                                       write per token after it, usage and [DONE] in the write of the last token
//!   --instant                           the whole answer as soon as the request is read, still one write per token
//!   --one-write                         with --instant: headers, all events and the end in one write
//!   --role-at-once                      the role delta leaves with the headers
//!   --as dynamo|vllm|sglang             whose stream is spoken: key for key what test/real captured of Dynamo (u64 ids of the
//!                                       workers in each event, timing in the last) and of vLLM; SGLang's by its source
//!                                       (dynamo)
//!   --cpu N --realtime                  pinned, and ahead of the clients it shares the machine with (needs root)

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

mod sys {
    //! The part of Linux that the standard library does not reach.
    use std::ffi::c_void;

    #[cfg_attr(target_arch = "x86_64", repr(C, packed))]
    #[cfg_attr(not(target_arch = "x86_64"), repr(C))]
    #[derive(Clone, Copy)]
    pub struct EpollEvent {
        pub events: u32,
        pub data: u64,
    }
    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    pub struct Timespec {
        pub sec: i64,
        pub nsec: i64,
    }
    #[repr(C)]
    pub struct Iovec {
        pub base: *mut u8,
        pub len: usize,
    }
    #[repr(C)]
    pub struct Msghdr {
        pub name: *mut c_void,
        pub namelen: u32,
        pub iov: *mut Iovec,
        pub iovlen: usize,
        pub control: *mut c_void,
        pub controllen: usize,
        pub flags: i32,
    }
    extern "C" {
        pub fn epoll_create1(flags: i32) -> i32;
        pub fn epoll_ctl(epfd: i32, op: i32, fd: i32, event: *mut EpollEvent) -> i32;
        pub fn epoll_pwait2(epfd: i32, events: *mut EpollEvent, max: i32, timeout: *const Timespec, mask: *const c_void) -> i32;
        fn memchr(bytes: *const c_void, byte: i32, len: usize) -> *const c_void;
        pub fn recvmsg(fd: i32, msg: *mut Msghdr, flags: i32) -> isize;
        pub fn setsockopt(fd: i32, level: i32, name: i32, value: *const c_void, len: u32) -> i32;
        pub fn clock_gettime(clock: i32, at: *mut Timespec) -> i32;
        pub fn prctl(option: i32, a: u64, b: u64, c: u64, d: u64) -> i32;
        pub fn sched_setscheduler(pid: i32, policy: i32, param: *const i32) -> i32;
        pub fn sched_setaffinity(pid: i32, len: usize, mask: *const u64) -> i32;
    }
    pub const EPOLLIN: u32 = 1;
    pub const EPOLLOUT: u32 = 4;
    pub const SOL_SOCKET: i32 = 1;
    pub const SO_TIMESTAMPNS: i32 = 35;
    const REALTIME: i32 = 0;
    const MONOTONIC: i32 = 1;
    const PROCESS_CPU: i32 = 2;

    fn clock_ns(clock: i32) -> u64 {
        let mut at = Timespec::default();
        unsafe { clock_gettime(clock, &mut at) };
        at.sec as u64 * 1_000_000_000 + at.nsec as u64
    }
    pub fn wall_ns() -> u64 {
        clock_ns(REALTIME)
    }
    pub fn now_ns() -> u64 {
        clock_ns(MONOTONIC)
    }
    pub fn cpu_ns() -> u64 {
        clock_ns(PROCESS_CPU)
    }

    pub fn position(bytes: &[u8], byte: u8) -> Option<usize> {
        let at = unsafe { memchr(bytes.as_ptr() as *const c_void, i32::from(byte), bytes.len()) };
        (!at.is_null()).then(|| at as usize - bytes.as_ptr() as usize)
    }

    /// Reads into `buffer`; gives the byte count (0: closed, negative: nothing there) and the kernel's wall-clock stamp of arrival.
    pub fn read_stamped(fd: i32, buffer: &mut [u8]) -> (isize, Option<u64>) {
        let mut control = [0u64; 16];
        let mut iov = Iovec { base: buffer.as_mut_ptr(), len: buffer.len() };
        let mut msg = Msghdr {
            name: std::ptr::null_mut(),
            namelen: 0,
            iov: &mut iov,
            iovlen: 1,
            control: control.as_mut_ptr() as *mut c_void,
            controllen: std::mem::size_of_val(&control),
            flags: 0,
        };
        let n = unsafe { recvmsg(fd, &mut msg, 0x40) };
        // One control message: length, level and type (8 + 4 + 4 bytes), then a timespec.
        let kind = control[1];
        let stamped = n > 0 && msg.controllen >= 32 && kind as u32 == SOL_SOCKET as u32 && (kind >> 32) as i32 == SO_TIMESTAMPNS;
        (n, stamped.then(|| control[2] * 1_000_000_000 + control[3]))
    }
}

const MS: u64 = 1_000_000;
/// Lateness is kept to the microsecond up to here; what is later counts as this (the maximum is exact all the same).
const HIST_US: usize = 1_000_000;
/// Seconds of per-second figures kept.
const SLICES: usize = 900;
/// Arrivals kept.
const ARRIVALS: usize = 1 << 20;
/// A request's settings are looked for in this many bytes at either end of its body: prompts are long and stand between.
const EDGE: usize = 2048;

struct Options {
    port: u16,
    ttft: u64,
    itl: u64,
    tokens: usize,
    instant: bool,
    role_at_once: bool,
    one_write: bool,
    dialect: Dialect,
    cpu: Option<u32>,
    realtime: bool,
}

fn main() {
    let options = parse_options();
    let mut scheduling = "other";
    unsafe {
        sys::prctl(29, 1, 0, 0, 0); // timer slack 1 ns instead of 50 µs
        if let Some(cpu) = options.cpu {
            sys::sched_setaffinity(0, 8, &(1u64 << cpu));
        }
        if options.realtime && sys::sched_setscheduler(0, 1, &1) == 0 {
            scheduling = "fifo";
        }
    }
    let listener = TcpListener::bind(("127.0.0.1", options.port)).unwrap_or_else(|error| fail(&format!("cannot listen: {error}")));
    listener.set_nonblocking(true).expect("nonblocking listener");
    println!("http://{}", listener.local_addr().expect("local address"));
    std::io::stdout().flush().ok();
    Server::new(options, scheduling).serve(listener);
}

/// Whose stream is spoken.
#[derive(Clone, Copy, PartialEq)]
enum Dialect {
    Dynamo,
    Vllm,
    Sglang,
}

/// What is to be written next on a connection.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Nothing,
    Token(usize),
    /// The answer of a request that asked for no stream.
    Whole,
}

struct Connection {
    stream: TcpStream,
    /// Bytes received and not yet answered.
    input: Vec<u8>,
    /// Bytes the socket did not take.
    backlog: Vec<u8>,
    next: Next,
    arrived_ns: u64,
    tokens: usize,
    prompt_tokens: usize,
    usage: bool,
    chat: bool,
    frame: Frame,
    /// Tells a due time of this connection from one of the connection that had its place before.
    generation: u32,
}

struct Server {
    options: Options,
    scheduling: &'static str,
    epoll: i32,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    generation: u32,
    /// (due, place, generation), earliest first.
    due: BinaryHeap<Reverse<(u64, usize, u32)>>,
    stats: Stats,
    scratch: Vec<u8>,
    /// What one read takes.
    buffer: Vec<u8>,
}

impl Server {
    fn new(options: Options, scheduling: &'static str) -> Self {
        let epoll = unsafe { sys::epoll_create1(0) };
        Server {
            options,
            scheduling,
            epoll,
            connections: Vec::new(),
            free: Vec::new(),
            generation: 0,
            due: BinaryHeap::new(),
            stats: Stats::new(),
            scratch: Vec::with_capacity(1 << 16),
            buffer: vec![0; 1 << 16],
        }
    }

    fn serve(&mut self, listener: TcpListener) -> ! {
        const LISTENER: u64 = u64::MAX;
        self.watch(1, listener.as_raw_fd(), sys::EPOLLIN, LISTENER);
        let mut events = vec![sys::EpollEvent { events: 0, data: 0 }; 512];
        loop {
            self.write_due();
            let timeout = self.due.peek().map(|Reverse((at, _, _))| {
                let wait = at.saturating_sub(sys::now_ns());
                sys::Timespec { sec: (wait / 1_000_000_000) as i64, nsec: (wait % 1_000_000_000) as i64 }
            });
            let timeout = timeout.as_ref().map_or(std::ptr::null(), |t| t as *const _);
            let count = unsafe { sys::epoll_pwait2(self.epoll, events.as_mut_ptr(), events.len() as i32, timeout, std::ptr::null()) };
            for event in events.iter().take(count.max(0) as usize).copied() {
                if event.data == LISTENER {
                    self.accept(&listener);
                } else {
                    self.handle(event.data as usize, event.events);
                    // A long batch of reads must not delay what falls due meanwhile.
                    self.write_due();
                }
            }
        }
    }

    fn watch(&self, op: i32, fd: i32, events: u32, data: u64) {
        let mut event = sys::EpollEvent { events, data };
        unsafe { sys::epoll_ctl(self.epoll, op, fd, &mut event) };
    }

    fn accept(&mut self, listener: &TcpListener) {
        while let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(true).ok();
            stream.set_nodelay(true).ok();
            let on: i32 = 1;
            unsafe { sys::setsockopt(stream.as_raw_fd(), sys::SOL_SOCKET, sys::SO_TIMESTAMPNS, &on as *const i32 as *const _, 4) };
            self.generation = self.generation.wrapping_add(1);
            let place = self.free.pop().unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() - 1
            });
            self.watch(1, stream.as_raw_fd(), sys::EPOLLIN, place as u64);
            self.connections[place] = Some(Connection {
                stream,
                input: Vec::new(),
                backlog: Vec::new(),
                next: Next::Nothing,
                arrived_ns: 0,
                tokens: 0,
                prompt_tokens: 0,
                usage: false,
                chat: true,
                frame: Frame::default(),
                generation: self.generation,
            });
            self.stats.connections += 1;
        }
    }

    fn handle(&mut self, place: usize, events: u32) {
        if events & sys::EPOLLOUT != 0 {
            self.send(place, &[]);
        }
        if events & !sys::EPOLLOUT == 0 {
            return;
        }
        let Some(connection) = self.connections[place].as_mut() else { return };
        let (n, stamp) = sys::read_stamped(connection.stream.as_raw_fd(), &mut self.buffer);
        if n == 0 || (n < 0 && std::io::Error::last_os_error().kind() != ErrorKind::WouldBlock) {
            return self.close(place);
        }
        if n < 0 {
            return;
        }
        connection.input.extend_from_slice(&self.buffer[..n as usize]);
        let now = sys::now_ns();
        let waited = stamp.map_or(0, |at| sys::wall_ns().saturating_sub(at));
        self.stats.unstamped += u64::from(stamp.is_none());
        self.answer_complete(place, now - waited.min(now));
    }

    /// Answers the request in `input` once all of it is there. One request at a time: none of the clients pipelines.
    fn answer_complete(&mut self, place: usize, arrived_ns: u64) {
        let Some(connection) = self.connections[place].as_mut() else { return };
        let Some(head_end) = find(&connection.input, b"\r\n\r\n") else { return };
        let head = String::from_utf8_lossy(&connection.input[..head_end]).to_ascii_lowercase();
        let length = head.split("\r\n").find_map(|line| line.strip_prefix("content-length:")).and_then(|v| v.trim().parse::<usize>().ok());
        if length.is_none() && head.contains("transfer-encoding:") {
            return self.send(place, b"HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
        let end = head_end + 4 + length.unwrap_or(0);
        if connection.input.len() < end {
            return;
        }
        let input = std::mem::take(&mut connection.input);
        let path = head.split(' ').nth(1).unwrap_or("").split('?').next().unwrap_or("").to_string();
        match (head.starts_with("post "), path.as_str()) {
            (true, "/v1/chat/completions") | (true, "/v1/completions") => {
                self.begin(place, &input[head_end + 4..end], arrived_ns, path.contains("chat"), input.len());
            }
            (true, "/stats/reset") => {
                self.stats = Stats::new();
                self.send_json(place, 200, "{}");
            }
            (false, "/stats") => {
                let text = self.stats.json(&self.options, self.scheduling);
                self.send_json(place, 200, &text);
            }
            (false, "/stats/arrivals") => {
                let text = self.stats.arrivals_json();
                self.send_json(place, 200, &text);
            }
            (false, "/v1/models") => {
                self.send_json(place, 200, r#"{"object":"list","data":[{"id":"bench","object":"model","created":0,"owned_by":"bench"}]}"#)
            }
            (false, "/health") => self.send_json(place, 200, "{}"),
            _ => self.send_json(place, 404, r#"{"error":{"message":"no such path"}}"#),
        }
    }

    fn begin(&mut self, place: usize, body: &[u8], arrived_ns: u64, chat: bool, bytes: usize) {
        let settings = Settings::of(body);
        let Some(connection) = self.connections[place].as_mut() else { return };
        connection.arrived_ns = arrived_ns;
        connection.tokens = settings.max_tokens.map_or(self.options.tokens, |n| n.min(self.options.tokens)).max(1);
        connection.prompt_tokens = count_spaces(body);
        connection.usage = settings.usage;
        connection.chat = chat;
        connection.frame = Frame::of(self.options.dialect, chat, self.stats.requests);
        self.stats.request(arrived_ns, bytes);
        let generation = connection.generation;
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        if settings.stream {
            connection.next = Next::Token(0);
            out.extend_from_slice(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n",
            );
            if self.options.role_at_once || self.options.instant {
                connection.frame.append_role(&mut out);
            }
        } else {
            connection.next = Next::Whole;
        }
        if self.options.instant {
            return self.answer_at_once(place, out);
        }
        let wait = if settings.stream { self.options.ttft } else { self.options.ttft + self.options.itl * (connection.tokens as u64 - 1) };
        self.due.push(Reverse((arrived_ns + wait, place, generation)));
        if !out.is_empty() {
            self.send(place, &out);
        }
        self.scratch = out;
    }

    /// `out` holds the head of a streamed answer.
    fn answer_at_once(&mut self, place: usize, mut out: Vec<u8>) {
        let Some(connection) = self.connections[place].as_mut() else { return };
        let (arrived_ns, tokens, next) = (connection.arrived_ns, connection.tokens, connection.next);
        connection.next = Next::Nothing;
        self.stats.written(sys::now_ns(), arrived_ns, true, tokens as u64);
        if next == Next::Whole {
            append_whole(&mut out, connection);
        } else {
            for token in 0..tokens {
                let Some(connection) = self.connections[place].as_mut() else { break };
                append_token(&mut out, connection, token);
                if !self.options.one_write {
                    self.send(place, &out);
                    out.clear();
                }
            }
        }
        self.stats.answered();
        self.send(place, &out);
        self.scratch = out;
    }

    /// Writes whatever is due, the clock read anew before each write.
    fn write_due(&mut self) {
        while let Some(Reverse((at, place, generation))) = self.due.peek().copied() {
            let now = sys::now_ns();
            if at > now {
                return;
            }
            self.due.pop();
            let Some(connection) = self.connections[place].as_mut() else { continue };
            if connection.generation != generation {
                continue;
            }
            let mut out = std::mem::take(&mut self.scratch);
            out.clear();
            let mut ended = true;
            match connection.next {
                Next::Token(token) => {
                    if token == 0 && !self.options.role_at_once {
                        connection.frame.append_role(&mut out);
                    }
                    append_token(&mut out, connection, token);
                    ended = token + 1 == connection.tokens;
                    if !ended {
                        connection.next = Next::Token(token + 1);
                        // From the arrival, not from this write: lateness does not add up.
                        let after = connection.arrived_ns + self.options.ttft + self.options.itl * (token as u64 + 1);
                        self.due.push(Reverse((after, place, generation)));
                    }
                    self.stats.written(now, at, token == 0, 1);
                }
                Next::Whole => append_whole(&mut out, connection),
                Next::Nothing => {}
            }
            if ended {
                connection.next = Next::Nothing;
                self.stats.answered();
            }
            self.send(place, &out);
            self.scratch = out;
        }
    }

    fn send_json(&mut self, place: usize, status: u16, body: &str) {
        let text = format!("HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        self.send(place, text.as_bytes());
    }

    /// Writes after what is still waiting; what the socket does not take waits in turn.
    fn send(&mut self, place: usize, bytes: &[u8]) {
        let Some(connection) = self.connections[place].as_mut() else { return };
        let direct = connection.backlog.is_empty();
        if !direct {
            connection.backlog.extend_from_slice(bytes);
        }
        let pending = std::mem::take(&mut connection.backlog);
        let source = if direct { bytes } else { &pending };
        if source.is_empty() {
            return;
        }
        match connection.stream.write(source) {
            Ok(n) if n == source.len() => {
                let fd = connection.stream.as_raw_fd();
                if !direct {
                    self.watch(3, fd, sys::EPOLLIN, place as u64);
                }
            }
            Ok(n) => self.wait_to_write(place, source[n..].to_vec()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait_to_write(place, source.to_vec()),
            Err(_) => self.close(place),
        }
    }

    fn wait_to_write(&mut self, place: usize, rest: Vec<u8>) {
        self.stats.blocked_writes += 1;
        let Some(connection) = self.connections[place].as_mut() else { return };
        connection.backlog = rest;
        let fd = connection.stream.as_raw_fd();
        self.watch(3, fd, sys::EPOLLIN | sys::EPOLLOUT, place as u64);
    }

    fn close(&mut self, place: usize) {
        if let Some(connection) = self.connections[place].take() {
            if connection.next != Next::Nothing {
                self.stats.left_early += 1;
                self.stats.answered();
            }
            self.free.push(place);
        }
    }
}

/// What of a request decides its answer.
struct Settings {
    stream: bool,
    usage: bool,
    max_tokens: Option<usize>,
}

impl Settings {
    fn of(body: &[u8]) -> Settings {
        let head = &body[..body.len().min(EDGE)];
        let tail = &body[body.len().saturating_sub(EDGE).max(head.len())..];
        let value = |key: &str| {
            [head, tail].into_iter().find_map(|part| {
                let at = find(part, key.as_bytes())? + key.len();
                let text: String = part[at..].iter().map(|b| *b as char).skip_while(|c| *c == ' ' || *c == ':').take(12).collect();
                Some(text)
            })
        };
        let is_true = |key: &str| value(key).is_some_and(|text| text.starts_with("true"));
        let number = |key: &str| value(key).and_then(|text| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok());
        Settings {
            stream: is_true("\"stream\""),
            usage: is_true("\"include_usage\""),
            max_tokens: number("\"max_completion_tokens\"").or_else(|| number("\"max_tokens\"")),
        }
    }
}

/// About the number of words. Summed in bytes over short runs, which compiles to sixteen comparisons at a time.
fn count_spaces(bytes: &[u8]) -> usize {
    bytes.chunks(240).map(|run| run.iter().map(|byte| u8::from(*byte == b' ')).sum::<u8>() as usize).sum()
}

/// First place of `what` in `bytes`. From one first byte to the next with libc's memchr: comparing at every byte took
/// two thirds of the server's time.
fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        from += sys::position(&bytes[from..], what[0])?;
        if bytes[from..].starts_with(what) {
            return Some(from);
        }
        from += 1;
    }
}

/// One server-sent event as one HTTP chunk.
fn append_event(out: &mut Vec<u8>, data: &[&str]) {
    let length: usize = data.iter().map(|part| part.len()).sum();
    write!(out, "{:x}\r\ndata: ", length + 8).ok();
    data.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
    out.extend_from_slice(b"\n\n\r\n");
}

/// Of differing lengths, one with an escape.
const TEXTS: [&str; 8] = [" token", " the", ".", " window", "\\n", " river", ",", " a"];

/// The text of one answer's events but for what changes from one to the next. Ids differ from answer to answer, and so do
/// the workers that Dynamo names.
#[derive(Default)]
struct Frame {
    /// Up to the choices.
    before: String,
    /// The choice up to its text, and from there to its finish reason.
    text: &'static str,
    after_text: &'static str,
    /// From the end of the choices.
    after: String,
    /// Instead of `after`, with the finish reason.
    after_last: String,
    after_usage: String,
    /// Of their own in vLLM and SGLang; Dynamo has the role beside the first text.
    role: Option<&'static str>,
    role_beside_first: bool,
    /// The choice of an event that gives the finish reason alone; vLLM gives it with the last text.
    finish: Option<&'static str>,
    /// The end of the choice, without and with a finish reason.
    end: &'static str,
    end_last: &'static str,
}

impl Frame {
    fn of(dialect: Dialect, chat: bool, request: u64) -> Frame {
        let (id, object) = if chat { ("chatcmpl", "chat.completion.chunk") } else { ("cmpl", "text_completion") };
        // Spread over all digits, as ids are.
        let mixed = (request + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let created = sys::wall_ns() / 1_000_000_000;
        let mut frame = match dialect {
            Dialect::Dynamo => {
                let worker = 16_098_495_623_859_717_728u64 + (request % 4) * 1_000_000_000_000_000_007;
                let named = format!(
                    r#"],"created":{created},"model":"bench","object":"{object}","nvext":{{"worker_id":{{"prefill_worker_id":{worker},"prefill_dp_rank":0,"decode_worker_id":{worker},"decode_dp_rank":0}}"#
                );
                Frame {
                    before: format!(r#"{{"id":"{id}-{:08x}-{:04x}-4c27-8441-{:012x}","choices":["#, mixed >> 32, mixed & 0xffff, mixed >> 16),
                    text: r#"{"index":0,"delta":{"content":""#,
                    after_text: r#""},"finish_reason":"#,
                    after_last: format!(
                        r#"{named},"timing":{{"request_received_ms":{created}128,"prefill_wait_time_ms":11.358246000000001,"prefill_time_ms":56.757960000000004,"ttft_ms":68.116206,"total_time_ms":120.02887700000001,"kv_hit_rate":0.0,"router_queue_depth":0}}}}}}"#
                    ),
                    after: format!("{named}}}}}"),
                    after_usage: format!(r#"],"created":{created},"model":"bench","object":"{object}","#),
                    role_beside_first: true,
                    finish: Some(r#"{"index":0,"delta":{},"finish_reason":"#),
                    end: r#"null,"logprobs":null}"#,
                    end_last: r#""length","logprobs":null}"#,
                    ..Frame::default()
                }
            }
            Dialect::Vllm => Frame {
                before: format!(r#"{{"id":"{id}-{mixed:016x}","object":"{object}","created":{created},"model":"bench","choices":["#),
                text: r#"{"index":0,"delta":{"content":""#,
                after_text: r#""},"logprobs":null,"finish_reason":"#,
                after: "]}".into(),
                after_last: "]}".into(),
                after_usage: "],".into(),
                role: Some(r#"{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null,"prompt_text":null}"#),
                end: r#"null,"token_ids":null}"#,
                end_last: r#""length","stop_reason":null,"token_ids":null}"#,
                ..Frame::default()
            },
            Dialect::Sglang => Frame {
                before: format!(r#"{{"id":"{mixed:016x}{:016x}","object":"{object}","created":{created},"model":"bench","choices":["#, mixed >> 3),
                text: r#"{"index":0,"delta":{"role":null,"content":""#,
                after_text: r#"","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":"#,
                after: r#"],"usage":null}"#.into(),
                after_last: r#"],"usage":null}"#.into(),
                after_usage: "],".into(),
                role: Some(r#"{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}"#),
                finish: Some(r#"{"index":0,"delta":{"role":null,"content":null,"reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":"#),
                end: r#"null,"matched_stop":null}"#,
                end_last: r#""length","matched_stop":null}"#,
                ..Frame::default()
            },
        };
        if !chat {
            frame.text = r#"{"index":0,"text":""#;
            frame.after_text = r#"","logprobs":null,"finish_reason":"#;
            frame.role = None;
            frame.role_beside_first = false;
        }
        frame
    }

    fn append_role(&self, out: &mut Vec<u8>) {
        if let Some(role) = self.role {
            append_event(out, &[&self.before, role]);
        }
    }
}

fn append_token(out: &mut Vec<u8>, connection: &Connection, token: usize) {
    let frame = &connection.frame;
    let last = token + 1 == connection.tokens;
    let text = TEXTS[token % TEXTS.len()];
    let after_text = if token == 0 && frame.role_beside_first { r#"","role":"assistant"},"finish_reason":"# } else { frame.after_text };
    if last && frame.finish.is_none() {
        append_event(out, &[&frame.before, frame.text, text, after_text, frame.end_last, &frame.after_last]);
    } else {
        append_event(out, &[&frame.before, frame.text, text, after_text, frame.end, &frame.after]);
    }
    if last {
        if let Some(finish) = frame.finish {
            append_event(out, &[&frame.before, finish, frame.end_last, &frame.after_last]);
        }
        if connection.usage {
            append_event(out, &[&frame.before, &frame.after_usage, &usage(connection), "}"]);
        }
        append_event(out, &["[DONE]"]);
        out.extend_from_slice(b"0\r\n\r\n");
    }
}

fn append_whole(out: &mut Vec<u8>, connection: &Connection) {
    let text = " token".repeat(connection.tokens);
    let choice = if connection.chat { format!(r#""message":{{"role":"assistant","content":"{text}"}}"#) } else { format!(r#""text":"{text}""#) };
    let object = if connection.chat { "chat.completion" } else { "text_completion" };
    let body = format!(
        r#"{{"id":"cmpl-6f0c5b1e9d3a4c27","object":"{object}","created":1700000000,"model":"bench","choices":[{{"index":0,{choice},"finish_reason":"length"}}],{}}}"#,
        usage(connection)
    );
    write!(out, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).ok();
}

fn usage(connection: &Connection) -> String {
    let (prompt, output) = (connection.prompt_tokens, connection.tokens);
    format!(
        r#""usage":{{"prompt_tokens":{prompt},"completion_tokens":{output},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":0}}}}"#,
        prompt + output
    )
}

/// Lateness in microseconds: exact counts per microsecond, and the exact maximum in nanoseconds.
struct Lateness {
    counts: Vec<u32>,
    n: u64,
    max_ns: u64,
}

impl Lateness {
    fn new() -> Self {
        Lateness { counts: vec![0; HIST_US + 1], n: 0, max_ns: 0 }
    }

    fn add(&mut self, late_ns: u64) {
        self.counts[((late_ns / 1000) as usize).min(HIST_US)] += 1;
        self.n += 1;
        self.max_ns = self.max_ns.max(late_ns);
    }

    /// Nearest rank, milliseconds.
    fn percentile(&self, p: f64) -> f64 {
        let rank = ((p * self.n as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (us, count) in self.counts.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank {
                return us as f64 / 1000.0;
            }
        }
        0.0
    }

    fn json(&self) -> String {
        format!(
            r#"{{"n":{},"p50_ms":{:.3},"p90_ms":{:.3},"p99_ms":{:.3},"max_ms":{:.3}}}"#,
            self.n,
            self.percentile(0.5),
            self.percentile(0.9),
            self.percentile(0.99),
            self.max_ns as f64 / MS as f64
        )
    }
}

/// One second of the run: events written and their lateness in powers of two microseconds.
#[derive(Clone, Default)]
struct Slice {
    events: u64,
    log2_us: [u32; 32],
    max_ns: u64,
}

struct Stats {
    requests: u64,
    completed: u64,
    left_early: u64,
    connections: u64,
    unstamped: u64,
    blocked_writes: u64,
    bytes_in: u64,
    in_flight: u64,
    in_flight_max: u64,
    /// Sum of requests in flight × time, and when it was last brought up to date.
    in_flight_ns: f64,
    in_flight_at: u64,
    first_request_ns: u64,
    arrivals: Vec<u64>,
    last_write_ns: u64,
    cpu_start_ns: u64,
    first: Lateness,
    all: Lateness,
    slices: Vec<Slice>,
}

impl Stats {
    fn new() -> Self {
        Stats {
            requests: 0,
            completed: 0,
            left_early: 0,
            connections: 0,
            unstamped: 0,
            blocked_writes: 0,
            bytes_in: 0,
            in_flight: 0,
            in_flight_max: 0,
            in_flight_ns: 0.0,
            in_flight_at: 0,
            first_request_ns: 0,
            arrivals: Vec::new(),
            last_write_ns: 0,
            cpu_start_ns: sys::cpu_ns(),
            first: Lateness::new(),
            all: Lateness::new(),
            slices: Vec::new(),
        }
    }

    fn request(&mut self, arrived_ns: u64, bytes: usize) {
        if self.requests == 0 {
            self.first_request_ns = arrived_ns;
        }
        if self.arrivals.len() < ARRIVALS {
            self.arrivals.push(arrived_ns);
        }
        self.requests += 1;
        self.bytes_in += bytes as u64;
        self.count_in_flight(arrived_ns);
        self.in_flight += 1;
        self.in_flight_max = self.in_flight_max.max(self.in_flight);
    }

    fn answered(&mut self) {
        self.completed += 1;
        self.count_in_flight(sys::now_ns());
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    fn count_in_flight(&mut self, now: u64) {
        self.in_flight_ns += self.in_flight as f64 * now.saturating_sub(self.in_flight_at) as f64;
        self.in_flight_at = self.in_flight_at.max(now);
    }

    fn written(&mut self, now: u64, due: u64, first: bool, events: u64) {
        let late = now.saturating_sub(due);
        self.last_write_ns = now;
        self.all.add(late);
        if first {
            self.first.add(late);
        }
        let second = (now.saturating_sub(self.first_request_ns) / (1000 * MS)) as usize;
        if second < SLICES {
            if self.slices.len() <= second {
                self.slices.resize(second + 1, Slice::default());
            }
            let slice = &mut self.slices[second];
            slice.events += events;
            slice.log2_us[(64 - (late / 1000).leading_zeros() as usize).min(31)] += 1;
            slice.max_ns = slice.max_ns.max(late);
        }
    }

    fn arrivals_json(&self) -> String {
        let offset = wall_offset_ns();
        let each: Vec<String> = self.arrivals.iter().map(|at| format!("{:.3}", (*at as f64 + offset) / MS as f64)).collect();
        format!("[{}]", each.join(","))
    }

    fn json(&self, options: &Options, scheduling: &str) -> String {
        let offset = wall_offset_ns();
        let wall_ms = |ns: u64| if ns == 0 { "null".to_string() } else { format!("{:.3}", (ns as f64 + offset) / MS as f64) };
        let span_s = self.last_write_ns.saturating_sub(self.first_request_ns) as f64 / 1e9;
        let mut text = format!(
            r#"{{"ttft_ms":{},"itl_ms":{},"tokens":{},"instant":{},"scheduling":"{scheduling}","requests":{},"completed":{},"left_early":{},"connections":{},"unstamped_reads":{},"blocked_writes":{},"request_bytes_mean":{:.1},"in_flight_max":{},"in_flight_mean":{:.2},"first_request_wall_ms":{},"last_write_wall_ms":{},"span_s":{span_s:.6},"server_cpu_s":{:.3},"late_first":{},"late_all":{},"per_second":["#,
            options.ttft as f64 / MS as f64,
            options.itl as f64 / MS as f64,
            options.tokens,
            options.instant,
            self.requests,
            self.completed,
            self.left_early,
            self.connections,
            self.unstamped,
            self.blocked_writes,
            self.bytes_in as f64 / self.requests.max(1) as f64,
            self.in_flight_max,
            self.in_flight_ns / (span_s * 1e9).max(1.0),
            wall_ms(self.first_request_ns),
            wall_ms(self.last_write_ns),
            (sys::cpu_ns() - self.cpu_start_ns) as f64 / 1e9,
            self.first.json(),
            self.all.json(),
        );
        for (i, slice) in self.slices.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let below = |p: f64| slice_percentile_ms(slice, p);
            write!(
                text,
                r#"{comma}{{"events":{},"p50_below_ms":{},"p99_below_ms":{},"max_ms":{:.3}}}"#,
                slice.events,
                below(0.5),
                below(0.99),
                slice.max_ns as f64 / MS as f64
            )
            .ok();
        }
        text.push_str("]}");
        text
    }
}

/// What makes a monotonic stamp one of the wall clock, so that another process can place it.
fn wall_offset_ns() -> f64 {
    sys::wall_ns() as f64 - sys::now_ns() as f64
}

/// Upper edge of the power-of-two bucket that holds the percentile, milliseconds.
fn slice_percentile_ms(slice: &Slice, p: f64) -> f64 {
    let n: u64 = slice.log2_us.iter().map(|c| u64::from(*c)).sum();
    let rank = (p * n as f64).ceil() as u64;
    let mut seen = 0;
    for (bucket, count) in slice.log2_us.iter().enumerate() {
        seen += u64::from(*count);
        if seen >= rank {
            return (1u64 << bucket) as f64 / 1000.0;
        }
    }
    0.0
}

fn parse_options() -> Options {
    let mut options =
        Options { port: 0, ttft: 50 * MS, itl: 10 * MS, tokens: 100, instant: false, role_at_once: false, one_write: false, dialect: Dialect::Dynamo, cpu: None, realtime: false };
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        let mut number = || -> f64 {
            args.next().and_then(|v| v.parse().ok()).unwrap_or_else(|| fail(&format!("{flag} needs a number")))
        };
        match flag.as_str() {
            "--port" => options.port = number() as u16,
            "--ttft-ms" => options.ttft = (number() * MS as f64) as u64,
            "--itl-ms" => options.itl = (number() * MS as f64) as u64,
            "--tokens" => options.tokens = number() as usize,
            "--cpu" => options.cpu = Some(number() as u32),
            "--instant" => options.instant = true,
            "--one-write" => options.one_write = true,
            "--role-at-once" => options.role_at_once = true,
            "--as" => {
                options.dialect = match args.next().as_deref() {
                    Some("dynamo") => Dialect::Dynamo,
                    Some("vllm") => Dialect::Vllm,
                    Some("sglang") => Dialect::Sglang,
                    _ => fail("--as takes dynamo, vllm or sglang"),
                }
            }
            "--realtime" => options.realtime = true,
            other => fail(&format!("unknown option {other}")),
        }
    }
    options
}

fn fail(message: &str) -> ! {
    eprintln!("bench server: {message}");
    std::process::exit(2);
}
