import { connect } from 'node:net';

/**
 * Sends the same request over and over on some connections, each as soon as the one before is answered. A client of its own, because
 * those of libraries cost more than what is measured.
 * @returns how many answers came, and in how many milliseconds
 */
export async function countRequests(target, { connections, seconds }) {
  const end = performance.now() + seconds * 1000;
  const started = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => keepAsking(target, () => performance.now() < end)),
  );
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { count, milliseconds: performance.now() - started };
}

function keepAsking({ port, path, headers = {} }, mayGoOn) {
  const request = requestText(port, path, headers);
  return new Promise((resolve, reject) => {
    let count = 0;
    let missing = 0;
    let head = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      let at = 0;
      while (at < chunk.length) {
        if (missing === 0) {
          const end = chunk.indexOf('\r\n\r\n', at);
          if (end < 0) {
            head += chunk.toString('latin1', at);
            return;
          }
          head += chunk.toString('latin1', at, end);
          at = end + 4;
          missing = lengthIn(head);
          head = '';
        }
        const taken = Math.min(missing, chunk.length - at);
        missing -= taken;
        at += taken;
        if (missing > 0) return;
        count += 1;
        if (!mayGoOn()) {
          socket.destroy();
          resolve(count);
          return;
        }
        socket.write(request);
      }
    });
  });
}

function lengthIn(head) {
  if (!head.startsWith('HTTP/1.1 200'))
    throw new Error(`an answer is not a success: ${head.split('\r\n', 1)[0]}`);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error('an answer does not say how long it is');
  return Number(length);
}

/**
 * Asks again and again, each time on a new connection as a new client would, until something is over.
 * @returns the milliseconds of the longest wait for an answer
 */
export async function longestWait(target, over) {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  over.then(end, end);
  let longest = 0;
  while (!isOver) {
    const { milliseconds } = await countRequests(target, { connections: 1, seconds: 0 });
    longest = Math.max(longest, milliseconds);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return longest;
}

const mark = '\nid: ';

/**
 * Reads a stream of events to its message `end`.
 * @returns how many events came, and the milliseconds from the first byte of the request to the last event
 */
export function readStream({ port, path, headers = {} }) {
  const request = requestText(port, path, { ...headers, accept: 'text/event-stream' });
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let events = 0;
    let tail = '';
    let first = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (first === '') first = chunk.toString('latin1', 0, 200).split('\r\n', 1)[0];
      // The search spans what comes in pieces.
      const text = tail + chunk.toString('latin1');
      // What is in the tail as a whole was counted before.
      let at = text.indexOf(mark, Math.max(0, tail.length - mark.length + 1));
      for (; at >= 0; at = text.indexOf(mark, at + 1)) events += 1;
      if (text.includes('event: end')) {
        const milliseconds = performance.now() - started;
        socket.destroy();
        resolve({ events, milliseconds });
        return;
      }
      tail = text.slice(-'event: end'.length + 1);
    });
    socket.on('close', () =>
      reject(new Error(`a stream (${first}) ended after ${events} events without saying so`)),
    );
  });
}

function requestText(port, path, headers) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}\r\n`;
}
