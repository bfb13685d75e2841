import { onAbort } from '../../abort/abort.js';

/** The event streams that are open: counted, and ended together when the server stops. */
export class OpenStreams {
  readonly #open = new Set<AbortController>();

  get size(): number {
    return this.#open.size;
  }

  /** Controller to be aborted when the client is gone; the stream counts until then. */
  open(): AbortController {
    const stream = new AbortController();
    this.#open.add(stream);
    onAbort(stream.signal, () => this.#open.delete(stream));
    return stream;
  }

  closeAll(): void {
    for (const stream of [...this.#open]) stream.abort();
  }
}
