import path from 'node:path';
import { messageOf } from '../../handlers/error-category.js';
import type { SteeringReadiness } from '../../handlers/stage-steering.js';
import type { InputBody } from '../../machine/input.js';
import type { Progress } from '../../machine/progress.js';
import type { ArtifactChange, AttemptBegun, AttemptHere } from '../../run/elsewhere/perform-attempt.js';
import type { StageOrder } from '../../run/elsewhere/stages-elsewhere.js';
import { boundedText } from '../../run-directory/bounded-text.js';
import { FileCollector } from '../files/collect-files.js';
import { type Content, contentOf } from '../files/file-store.js';
import { oneAtATime } from '../files/one-at-a-time.js';
import type { PrepareDrive } from '../prepare-drive.js';
import { lostFiles } from '../refusals.js';
import { handedOver } from '../rests-as.js';
import { type RunPlace, writeRunDirectory } from '../run-cache.js';
import type { RunHistory } from '../run-history.js';
import { StageFileLog, writeLeftFiles } from './left-files.js';
import type {
  LeftFiles,
  StageEnding,
  StageReport,
  StageRequest,
  StageStep,
  StageSteps,
  StoredArtifactChange,
} from './stage-queue.js';
import { type StageState, stateAfter } from './stage-state.js';

/** Place of an attempt on a worker; its directory is for this attempt only. */
export interface StageHost extends RunPlace {
  readonly prepare: PrepareDrive;
}

/** Times that a stage may begin without an end before its worker dies; then its run waits for a person (SEMANTICS 141). */
const mostBegins = 5;
/** Milliseconds for which progress is held back, so that a report has several inputs. */
const reportMs = 200;

/**
 * An attempt of a stage of a run that another worker drives, on the worker that performs it. It is made ready as if this worker
 * took the run over; what follows from it goes to the run as reports.
 */
export class HostedStage {
  readonly #request: StageRequest;
  readonly #steps: StageSteps;
  readonly #host: StageHost;
  /** State before this execution; undefined for the first one. */
  readonly #before: StageState | undefined;
  readonly #listening = new AbortController();
  readonly #inOrder = oneAtATime();
  #begun: AttemptBegun | undefined;
  /** Orders that came before it had begun. */
  #early: StageOrder[] = [];
  #files: StageFileLog | undefined;
  /** Files that the executions before this one have left, or the tries before it. */
  #left: LeftFiles | undefined;
  #inputs: InputBody[] = [];
  #artifacts: StoredArtifactChange[] = [];
  /** Values of those, on their way into the store. */
  #contents: Content[] = [];
  /** True if it holds a report back that must not outlive the files of this moment. */
  #needsFiles = false;
  /** True if its backend asks itself for its files to be kept, after each turn. */
  #recordsTurns = false;
  /** Its readiness for words of people, until that is reported. */
  #steering: SteeringReadiness | undefined;
  /** Input that ends it. */
  #last: InputBody | undefined;
  #number = 1;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isLeaving = false;
  #isAbandoned = false;
  #isResting = false;

  constructor(request: StageRequest, steps: StageSteps, host: StageHost) {
    this.#request = request;
    this.#steps = steps;
    this.#host = host;
    this.#before = stateAfter(steps.before);
  }

  /** True if nothing of it is under way here any more. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /**
   * Performs it, and reports its end.
   * @returns undefined if another worker performs it: it has ended here, and nothing says so yet
   */
  async perform(): Promise<StageEnding | undefined> {
    void this.#listen();
    try {
      return await this.#perform();
    } catch (error) {
      if (this.#isLeaving) return undefined;
      return await this.#end(this.#suspension(messageOf(error)));
    } finally {
      clearTimeout(this.#timer);
      this.#listening.abort(new Error('the attempt has ended'));
      this.#isResting = true;
    }
  }

  /** Stops it here, for another worker that begins it again. */
  leave(): void {
    this.#isLeaving = true;
    this.#tell({ kind: 'abort', why: 'paused', reason: handedOver });
  }

  /** Stops it at once and reports nothing: another worker has it. */
  abandon(): void {
    this.#isAbandoned = true;
    this.leave();
  }

  async #perform(): Promise<StageEnding | undefined> {
    const { effect } = this.#request;
    const before = this.#before;
    const left = before === undefined ? await this.#steps.leftByTriesBefore() : before.left;
    const deaths = before?.deaths ?? 0;
    this.#left = left;
    if (deaths >= mostBegins)
      return this.#end(
        this.#suspension(
          `${mostBegins} workers have died, one after the other, while the stage "${effect.nodeId}" was running; resume the run after you fix the cause`,
        ),
      );
    await this.#record({ kind: 'begun', execution: this.#execution, deaths, left });
    const history = await this.#steps.history();
    await this.#makeDirectory(history);
    if (this.#isStopped || this.#isLeaving) return this.#stopped();
    const { directory, prepare } = this.#host;
    const prepared = await prepare(directory, history.settings, 'continue');
    try {
      await prepared.perform(path.join(directory, this.#request.place), this.#attempt(history));
    } finally {
      await prepared.close();
    }
    return this.#isStopped || this.#isLeaving || this.#last === undefined
      ? this.#stopped()
      : this.#end(this.#last);
  }

  #attempt(history: RunHistory): AttemptHere {
    const { effect, isBudgeted, place } = this.#request;
    return {
      effect,
      isBudgeted,
      onBegin: (begun) => {
        this.#begun = begun;
        this.#files = this.#fileLog(history, begun.path, place);
        // What follows from an order may begin only when the attempt has.
        queueMicrotask(() => {
          for (const order of this.#early.splice(0)) begun.tell(order);
        });
      },
      dispatch: (input) => this.#dispatch(input),
      onArtifact: (change) => this.#addArtifact(change),
      onReadiness: (readiness) => {
        this.#steering = readiness;
        this.#sendSoon();
      },
      keepFiles: async (recordsTurns) => {
        this.#recordsTurns = recordsTurns;
        await this.#keepFiles();
      },
    };
  }

  #dispatch(input: InputBody): void {
    if (input.kind === 'stage_settled' || input.kind === 'stage_suspended') this.#last = input;
    else this.#add(input);
  }

  #add(input: InputBody): void {
    this.#inputs.push(input);
    if (input.kind === 'stage_progress') this.#needsFiles ||= this.#changesSession(input.progress);
    this.#sendSoon(input.kind === 'question_raised');
  }

  /** True for progress after which another worker must find the session of the agent: its run does not say, or ask for, the same again. */
  #changesSession({ kind }: Progress): boolean {
    const isKept = kind === 'model_used' && this.#recordsTurns;
    return (kind === 'steering_delivered' || kind === 'session_started' || kind === 'model_used') && !isKept;
  }

  #sendSoon(isUrgent = false): void {
    if (isUrgent) clearTimeout(this.#timer);
    else if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#send().catch(noteLater), isUrgent ? 0 : reportMs);
  }

  #addArtifact(change: ArtifactChange): void {
    if (change.kind !== 'store') return void this.#artifacts.push(change);
    const { id, name, data } = change;
    const content = contentOf(Buffer.from(JSON.stringify(data)));
    this.#contents.push(content);
    this.#artifacts.push({ kind: 'store', id, name, sha256: content.sha256 });
  }

  /** Everything up to now outlives this worker: first what was spent, then what was got for it. */
  async #keepFiles(): Promise<LeftFiles | undefined> {
    await this.#send();
    return this.#inOrder(() => this.#recordFiles());
  }

  async #recordFiles(): Promise<LeftFiles | undefined> {
    this.#needsFiles = false;
    const files = await this.#collect();
    const changes = this.#files?.takeChanges() ?? [];
    if (files !== undefined && !this.#isAbandoned) await this.#record({ kind: 'files', changes });
    return files;
  }

  async #collect(): Promise<LeftFiles | undefined> {
    const collected = await this.#files?.collect();
    const { nodeId } = this.#request.effect;
    for (const { message } of collected?.warnings ?? [])
      this.#inputs.push({ kind: 'log', level: 'warning', message: boundedText(message), nodeId });
    return collected?.left;
  }

  /** Sends what there is to report. */
  #send(
    end: {
      readonly ending?: StageEnding;
      readonly last?: InputBody;
      readonly files?: LeftFiles | undefined;
    } = {},
  ): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#inOrder(async () => {
      await this.#sendReadiness();
      const inputs = [...this.#inputs.splice(0), ...(end.last === undefined ? [] : [end.last])];
      if (this.#isAbandoned || (inputs.length === 0 && end.ending === undefined)) return;
      const artifacts = this.#artifacts.splice(0);
      const contents = this.#contents.splice(0);
      if (this.#needsFiles && end.ending === undefined) await this.#recordFiles();
      if (contents.length > 0) await this.#host.store.put(contents);
      await this.#report({
        inputs,
        files: end.files,
        artifacts: artifacts.length === 0 ? undefined : artifacts,
        ending: end.ending,
      });
    });
  }

  /** Sends its readiness by itself: a run may take that again, but not what came with it. */
  async #sendReadiness(): Promise<void> {
    const steering = this.#steering;
    if (this.#isAbandoned || steering === undefined) return;
    this.#steering = undefined;
    await this.#report({ inputs: [], steering });
  }

  async #report(content: Omit<StageReport, 'id' | 'stage' | 'execution' | 'number'>): Promise<void> {
    const number = this.#number;
    this.#number += Math.max(1, content.inputs.length);
    const { id: stage } = this.#request;
    const execution = this.#execution;
    const id = `${stage}#${execution}.${number}${content.ending === undefined ? '' : '.end'}`;
    await this.#steps.send({ id, stage, execution, number, ...content });
  }

  async #end(last: InputBody): Promise<StageEnding> {
    if (last.kind === 'stage_settled') {
      const files = await this.#inOrder(() => this.#collect());
      await this.#send({ ending: 'settled', last, files });
      return 'settled';
    }
    await this.#send({ ending: 'unsettled', last, files: (await this.#keepFiles()) ?? this.#left });
    return 'unsettled';
  }

  async #stopped(): Promise<StageEnding | undefined> {
    if (this.#isAbandoned) return undefined;
    const files = (await this.#keepFiles()) ?? this.#left;
    if (this.#isLeaving && !this.#isStopped) {
      await this.#record({ kind: 'left' });
      return undefined;
    }
    await this.#send({ ending: 'unsettled', files });
    return 'unsettled';
  }

  async #record(step: StageStep): Promise<void> {
    try {
      await this.#steps.record(step);
    } catch (error) {
      // Another worker has it.
      this.abandon();
      throw error;
    }
  }

  #suspension(reason: string): InputBody {
    const { cursor, index, attempt } = this.#request.effect;
    return { kind: 'stage_suspended', cursor, index, attempt, reason: boundedText(reason) };
  }

  get #execution(): number {
    return (this.#before?.executions ?? 0) + 1;
  }

  async #makeDirectory(history: RunHistory): Promise<void> {
    const { directory, fileSystem, store } = this.#host;
    const missing = await writeRunDirectory(directory, history, fileSystem, store);
    const lost = missing.filter(({ path: file }) => history.files.file(file)?.kind === 'stored');
    if (lost.length > 0) throw new Error(lostFiles(lost));
    if (this.#left !== undefined) await writeLeftFiles(this.#left, this.#host);
  }

  #fileLog(history: RunHistory, stage: string, run: string): StageFileLog {
    const tree = history.files;
    const collector = new FileCollector({
      ...this.#host,
      tree,
      isChildRun: (place) => history.children.has(place),
    });
    const log = new StageFileLog(collector, tree, { run, stage });
    if (this.#left !== undefined) log.begin(this.#left);
    return log;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#listening;
    try {
      for (;;) for (const order of await this.#steps.orders(signal)) this.#tell(order);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #tell(order: StageOrder): void {
    if (order.kind === 'abort' && !this.#isLeaving) this.#isStopped = true;
    if (this.#begun === undefined) this.#early.push(order);
    else this.#begun.tell(order);
  }
}

/** The report that ends the attempt is sent by whoever waits for it, and meets the same problem. */
function noteLater(): void {}
