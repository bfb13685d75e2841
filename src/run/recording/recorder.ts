import path from 'node:path';
import type { FileSystem } from '../../run-directory/file-system.js';
import { runFiles } from '../../run-directory/run-files.js';
import { redactJson } from '../../secrets/redact-json.js';
import type { Clock } from '../driver/clock.js';
import type { Exchange, ExchangeName, RecordedOutput } from './exchange.js';
import { keepOutput } from './recorded-output.js';
import { recordedValue } from './recorded-value.js';
import { isRecorded, RecordingFile, readRecordingFile } from './recording-file.js';
import { withoutPlaces } from './run-places.js';

/** Options of a recorder. */
export interface RecorderOptions {
  readonly directory: string;
  readonly runId: string;
  readonly workingDirectory: string;
  readonly fileSystem: FileSystem;
  readonly clock: Pick<Clock, 'now'>;
  /** Removes secrets from a text before it is written. */
  readonly redact?: (text: string) => string;
}

/** Attempt that talks to the outside. */
export interface Attempt {
  readonly nodeId: string;
  readonly visit: number;
  readonly attempt: number;
  /** Current directory of the stages' files. */
  readonly logsRoot: string;
}

/** Records the exchanges of one run's stages with models, agents and tools (DESIGN §4). */
export class Recorder {
  readonly #setting: RecorderOptions;
  readonly #plain: (text: string) => string;
  /** Number of exchanges by attempt. */
  readonly #calls = new Map<string, number>();
  #file: RecordingFile | undefined;
  #session = 0;

  constructor(setting: RecorderOptions) {
    this.#setting = setting;
    this.#plain = withoutPlaces({
      runDirectories: [path.resolve(setting.directory)],
      workingDirectories: [setting.workingDirectory],
    });
  }

  /**
   * Opens the recording when the run is locked; an existing one is continued.
   * @throws RunError
   */
  open(): void {
    const { directory, runId, workingDirectory, fileSystem } = this.#setting;
    const file = path.join(directory, runFiles.recording);
    const before = isRecorded(directory, fileSystem)
      ? readRecordingFile(file, fileSystem)
      : { lines: [], size: 0 };
    this.#session = before.lines.reduce((last, { session }) => Math.max(last, session), 0) + 1;
    this.#file = new RecordingFile(file, before.size, fileSystem);
    this.#file.append({
      kind: 'session',
      format: 1,
      session: this.#session,
      run_id: runId,
      run_directory: path.resolve(directory),
      working_directory: workingDirectory,
    });
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  now(): number {
    return this.#setting.clock.now();
  }

  /** Numbers a new exchange of an attempt. */
  begin({ nodeId, visit, attempt, logsRoot }: Attempt): ExchangeName {
    const relativePath = path.relative(path.resolve(this.#setting.directory), path.resolve(logsRoot));
    const key = JSON.stringify([relativePath, nodeId, visit, attempt]);
    const call = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, call);
    return { place: relativePath, node_id: nodeId, visit, attempt, call };
  }

  /**
   * Returns when the exchange is on the disk.
   * @throws RunError `storage`
   */
  append(exchange: Omit<Exchange, 'kind' | 'session'>): void {
    if (this.#file === undefined) return;
    const line: Exchange = { kind: 'exchange', session: this.#session, ...exchange };
    const { redact } = this.#setting;
    this.#file.append(redact === undefined ? line : redacted(line, redact));
  }

  /** Variable of a tool's environment: of a long value, its hash. */
  keepValue([name, value]: readonly [string, string]): [string, string] {
    return [name, recordedValue(value, this.#plain)];
  }

  /** Output of a tool in a file of its stage. */
  keepOutput(file: string, size: number): RecordedOutput {
    return keepOutput({ file, size }, this.#setting);
  }

  /** Status file of a stage; undefined if there is none that is text. */
  statusFile(stageDirectory: string): string | undefined {
    const { fileSystem } = this.#setting;
    const file = path.join(stageDirectory, 'status.json');
    try {
      return fileSystem.stat(file)?.isFile() ? fileSystem.readFile(file).toString('utf8') : undefined;
    } catch {
      return undefined; // The engine reports the problem.
    }
  }
}

/** Line with all texts and keys redacted. */
function redacted(line: Exchange, redact: (text: string) => string): Exchange {
  return redactJson(JSON.parse(JSON.stringify(line)) as Exchange, redact);
}
