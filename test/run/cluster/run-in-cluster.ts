import { hostRun } from '../../../src/cluster/host-run.js';
import type { PreparedDrive } from '../../../src/cluster/prepare-drive.js';
import { prepareSubmission } from '../../../src/cluster/prepare-submission.js';
import type { RunHistory } from '../../../src/cluster/run-history.js';
import { type Execution, startContinuing } from '../../../src/run/execution.js';
import { pipelineFiles } from '../../../src/run/pipeline-files.js';
import { performAttempt } from '../../../src/run/run.js';
import type { InvalidPipeline, RunOptions } from '../../../src/run/run-options.js';
import { compileWith } from '../../../src/run/run-parts.js';
import { parseRunSettings } from '../../../src/run/run-settings.js';
import { redactedSource } from '../../../src/secrets/redact-source.js';
import type { RunResult } from '../../../src/view/run-result.js';
import { isOver } from '../../../src/view/run-status.js';
import { MemoryEngine, memoryStore } from '../../cluster/harness.js';

/**
 * Runs a pipeline as `run` does, but in durable steps: as a worker of a cluster executes what was submitted to it.
 * @param directory of the run on the worker
 * @param onStart gets the run before anything is executed
 */
export async function runInCluster(
  dot: string,
  options: RunOptions,
  directory: string,
  onStart: (execution: Execution) => void = () => undefined,
): Promise<RunResult | InvalidPipeline> {
  const { recorded, ports } = parseRunSettings(options);
  const { text } = redactedSource(dot, ports.secrets);
  const { secrets, childPolicy } = ports;
  const refuse = childPolicy && ((file: string) => childPolicy.refusePlace(file, file));
  const files = pipelineFiles(recorded.sourcePath, { directory: recorded.workingDirectory, secrets, refuse });
  const prepared = await prepareSubmission(compileWith(text, ports, recorded.sourcePath, files), options);
  if ('status' in prepared) return prepared;
  const submission = { ...prepared, manifest: ofThisMachine(prepared.manifest) };
  const engine = new MemoryEngine();
  const { handlers, transforms, rules, ruleSettings, properties, fileSystem } = ports;
  const compileOptions = { transforms, rules, ruleSettings, properties, handlerTypes: handlers.types };
  let history: RunHistory | undefined;
  const { result, hosted } = await new Promise<Ended>((resolve, reject) => {
    const start: PreparedDrive['start'] = (call) => {
      const execution = startContinuing(directory, withoutRecorded(options), call);
      onStart(execution);
      execution.result.then((result) => resolve({ result, hosted }), reject);
      return execution;
    };
    const perform: PreparedDrive['perform'] = (place, attempt) =>
      performAttempt(place, withoutRecorded(options), attempt);
    const hosted = hostRun(submission, engine.steps(), {
      directory,
      fileSystem,
      store: memoryStore(),
      prepare: async () => ({ compileOptions, start, perform, close: async () => undefined }),
      onLive: (_run, itsHistory) => {
        history = itsHistory;
      },
    });
    hosted.catch(reject);
  });
  if (result.status === 'invalid' || history === undefined) return result;
  if (history.view.status !== result.status)
    throw new Error(`the run is recorded as ${history.view.status}, and ended as ${result.status}`);
  // One that is paused waits for somebody who lets it continue.
  if (isOver(result.status)) await hosted;
  return result;
}

/** Tests continue the run in its directory, which is refused for a run of a cluster. */
function ofThisMachine(manifest: string): string {
  return `${JSON.stringify({ ...JSON.parse(manifest), in_cluster: undefined }, null, 2)}\n`;
}

interface Ended {
  readonly result: RunResult | InvalidPipeline;
  readonly hosted: Promise<unknown>;
}

/** What a worker has by itself: what the run was submitted with is in its manifest. */
function withoutRecorded(options: RunOptions): RunOptions {
  const { ports } = parseRunSettings(options);
  return Object.fromEntries(Object.entries(options).filter(([name]) => name in ports));
}
