import { type Compilation, type CompileOptions, compile, compileSteps } from '../../compiler/compile.js';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import { sortDiagnostics } from '../../diagnostic/sort-diagnostics.js';
import { builtInRules } from '../../lint/rules/index.js';
import { changeBetween } from '../services/diagnostics/change-between.js';
import { shiftFindings } from '../services/diagnostics/shift-findings.js';
import type { Timers } from './timers.js';

/** Text of an open document. */
export interface OpenText {
  readonly uri: string;
  readonly text: string;
  readonly version: number;
}

/** Findings about a text, with the text that they were made of. */
export interface Judgement {
  readonly text: string;
  readonly version: number;
  readonly findings: readonly Diagnostic[];
}

export interface JudgePorts {
  readonly timers: Timers;
  /** Open document; undefined once it is closed. */
  open(uri: string): OpenText | undefined;
  /** Options that compile a document as `attractor lint` does. */
  options(uri: string): Promise<CompileOptions>;
  publish(uri: string, judgement: Judgement): void;
  /** Says that judging a text has failed, which is a mistake of ours. */
  failed(error: unknown): void;
  /** Pause in typing after which the rules that follow control are checked, in milliseconds. */
  pauseMs(): number;
}

/** Rules that need more than the text between two keys. */
const laterRules: ReadonlySet<string> = new Set(
  builtInRules
    .filter(
      ({ followsFlow, needsShell, needsPrograms, needsFiles }) =>
        followsFlow || needsShell || needsPrograms || needsFiles,
    )
    .map(({ name }) => name),
);

/** Time in milliseconds after which checking lets other requests pass. */
const sliceMs = 10;

/** Longest wait in milliseconds for further changes before the first of them is judged. */
const longestWaitMs = 100;

/**
 * Judges open texts as they change: syntax and local findings at once, all others in a pause. A text that changes meanwhile is given
 * up and judged again; until then its earlier findings move with it.
 */
export class Judge {
  readonly #ports: JudgePorts;
  readonly #changed = new Set<string>();
  readonly #judged = new Map<string, Judgement>();
  /** Latest judgement with all rules, whose later findings move with the text. */
  readonly #whole = new Map<string, Judgement>();
  readonly #pauses = new Map<string, () => void>();
  #isAwake = false;
  /** Number of changes so far. */
  #arrivals = 0;

  constructor(ports: JudgePorts) {
    this.#ports = ports;
  }

  /** Says that a document was opened, or has another text. */
  changed(uri: string): void {
    this.#pauses.get(uri)?.();
    this.#pauses.delete(uri);
    this.#changed.add(uri);
    this.#arrivals += 1;
    this.#wake();
  }

  /** Says that something around a document has changed: a file that it names, or the configuration. */
  stale(uri: string): void {
    this.#pauses.get(uri)?.();
    this.#pause(uri);
  }

  closed(uri: string): void {
    this.#pauses.get(uri)?.();
    for (const known of [this.#pauses, this.#judged, this.#whole]) known.delete(uri);
    this.#changed.delete(uri);
  }

  /** Latest findings of a text; undefined if it has changed since. */
  findings({ uri, text }: Pick<OpenText, 'uri' | 'text'>): readonly Diagnostic[] | undefined {
    const judged = this.#judged.get(uri);
    return judged?.text === text ? judged.findings : undefined;
  }

  #wake(): void {
    if (this.#isAwake || this.#changed.size === 0) return;
    this.#isAwake = true;
    this.#begin(this.#ports.timers.now());
  }

  /** Begins once no more changes arrive: an editor may open thousands of documents at once, and then ask a question. */
  #begin(since: number): void {
    const { timers, failed } = this.#ports;
    const arrived = this.#arrivals;
    timers.soon(() => {
      if (this.#arrivals !== arrived && timers.now() - since < longestWaitMs) {
        this.#begin(since);
        return;
      }
      void this.#next()
        .catch(failed)
        .finally(() => {
          this.#isAwake = false;
          this.#wake();
        });
    });
  }

  /** Judges one changed document, so that requests for others need not wait for all. */
  async #next(): Promise<void> {
    const [uri] = this.#changed;
    if (uri === undefined) return;
    this.#changed.delete(uri);
    const options = await this.#ports.options(uri);
    const open = this.#ports.open(uri);
    if (open === undefined) return;
    const { diagnostics } = compile(open.text, {
      ...options,
      files: undefined,
      checkShell: undefined,
      isInstalled: undefined,
      withoutFlow: true,
    });
    const later = this.#movedFindings(open);
    this.#publish(open, sortDiagnostics([...diagnostics, ...later]));
    this.#pause(uri);
  }

  /** Findings of the rules that are not checked yet, where they are now. */
  #movedFindings({ uri, text }: OpenText): readonly Diagnostic[] {
    const whole = this.#whole.get(uri);
    if (whole === undefined) return [];
    const later = whole.findings.filter(({ rule }) => laterRules.has(rule));
    return whole.text === text ? later : shiftFindings(later, changeBetween(whole.text, text));
  }

  #pause(uri: string): void {
    const { timers, pauseMs } = this.#ports;
    this.#pauses.set(
      uri,
      timers.after(pauseMs(), () => {
        this.#pauses.delete(uri);
        void this.#judgeWhole(uri).catch(this.#ports.failed);
      }),
    );
  }

  async #judgeWhole(uri: string): Promise<void> {
    const options = await this.#ports.options(uri);
    const open = this.#ports.open(uri);
    if (open === undefined || this.#changed.has(uri)) return;
    const compilation = await this.#compileInSlices(open, options);
    if (compilation === undefined) return;
    const judgement = this.#publish(open, compilation.diagnostics);
    this.#whole.set(uri, judgement);
  }

  /** Undefined if the text has changed meanwhile. */
  async #compileInSlices(open: OpenText, options: CompileOptions): Promise<Compilation | undefined> {
    const { timers } = this.#ports;
    const steps = compileSteps(open.text, options);
    for (let began = timers.now(); ; ) {
      const { done, value } = steps.next();
      if (done) return value;
      if (timers.now() - began < sliceMs) continue;
      await new Promise<void>((resolve) => timers.soon(resolve));
      if (this.#ports.open(open.uri)?.version !== open.version) return undefined;
      began = timers.now();
    }
  }

  #publish({ uri, text, version }: OpenText, findings: readonly Diagnostic[]): Judgement {
    const judgement = { text, version, findings };
    this.#judged.set(uri, judgement);
    this.#ports.publish(uri, judgement);
    return judgement;
  }
}
