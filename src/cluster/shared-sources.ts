import { type Compilation, compile } from '../compiler/compile.js';
import type { ExtensionRecord } from '../run-directory/extension-record.js';
import { type CallEnvironment, compileOptionsOf, extensionsOfRun } from '../setup/extensions.js';
import { extensionsForTenant } from '../setup/policy/extensions-for-tenant.js';

/** Parts of a submitted run on which its graph depends. */
interface SubmittedSource {
  readonly text: string;
  readonly record: ExtensionRecord | undefined;
  /** Path of the manifest, for messages. */
  readonly manifest: string;
  /** True if the plugins of the run are loaded. */
  readonly isTrusted: boolean;
}

/** Result of the same source, for all runs that have it. */
interface Source {
  readonly extensions: Awaited<ReturnType<typeof extensionsOfRun>>;
  readonly compilation: Compilation;
}

const mostShared = 100;

/**
 * Compiled pipelines of a worker, each once for all runs that have the same text and the same extensions: of thousands of runs, most
 * wait for something, and their graph is the largest part of each.
 */
export class SharedSources {
  readonly #here: CallEnvironment;
  readonly #known = new Map<string, Promise<Source>>();

  constructor(here: CallEnvironment) {
    this.#here = here;
  }

  of(submitted: SubmittedSource): Promise<Source> {
    const { text, record, isTrusted } = submitted;
    const key = JSON.stringify([text, record, isTrusted]);
    const source = this.#known.get(key) ?? this.#make(submitted);
    // The one that was used last is the last to be forgotten.
    this.#known.delete(key);
    this.#known.set(key, source);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostShared && oldest !== undefined) this.#known.delete(oldest);
    source.catch(() => this.#known.delete(key));
    return source;
  }

  async #make({ text, record, manifest, isTrusted }: SubmittedSource): Promise<Source> {
    const extensions = await (isTrusted
      ? extensionsOfRun(record, manifest, {}, this.#here)
      : extensionsForTenant(record, manifest, this.#here));
    return { extensions, compilation: compile(text, compileOptionsOf(extensions)) };
  }
}
