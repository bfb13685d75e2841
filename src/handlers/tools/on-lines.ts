import type { Readable } from 'node:stream';

/** Calls back with every whole line of a stream; text after the last line break is left out. */
export function onLines(stream: Readable, onLine: (line: string) => void): void {
  let begun = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    // Only the new chunk is searched: a line may be megabytes long and come in many pieces.
    const [first = '', ...more] = chunk.split('\n');
    begun += first;
    for (const next of more) {
      const line = begun;
      begun = next;
      onLine(line);
    }
  });
}
