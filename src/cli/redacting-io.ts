import type { Redactor } from '../secrets/redactor.js';
import type { Io, OutputStream } from './io.js';

/** The same process, whose output has no secrets. */
export function redactingIo(io: Io, redactor: Redactor): Io {
  return {
    stdin: io.stdin,
    stdout: redactingStream(io.stdout, redactor),
    stderr: redactingStream(io.stderr, redactor),
    env: io.env,
    cwd: () => io.cwd(),
    on: (event, listener) => io.on(event, listener),
    off: (event, listener) => io.off(event, listener),
  };
}

/** A terminal has more methods than we know, all of which end in `write`. */
function redactingStream(stream: OutputStream, redactor: Redactor): OutputStream {
  const redacting: OutputStream = Object.create(stream);
  redacting.write = (text, onWritten) =>
    stream.write(typeof text === 'string' ? redactor.text(text) : text, onWritten);
  return redacting;
}
