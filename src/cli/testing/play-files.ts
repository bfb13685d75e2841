import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Compilation, compile } from '../../compiler/compile.js';
import { counted } from '../../diagnostic/counted.js';
import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import { nearestName } from '../../diagnostic/did-you-mean.js';
import { pipelineFiles } from '../../run/pipeline-files.js';
import { compileOptionsOf, type ExtensionArguments, extensionsForEach } from '../../setup/extensions.js';
import { UsageError } from '../../setup/usage-error.js';
import { checkCases } from '../../testing/check-cases.js';
import { finding, type ReadTestFile, readTestFile, spanAt } from '../../testing/read-test-file.js';
import { type FileResult, runCase } from '../../testing/run-cases.js';
import type { Io } from '../io.js';
import { readSource } from '../read-source.js';
import { costOfRequests } from './cost-of-requests.js';
import { pipelineOf } from './find-test-files.js';

/** A test file and its pipeline, ready to be played. */
export interface LoadedFile {
  readonly read: ReadTestFile;
  readonly pipeline: string;
  /** Missing if the pipeline cannot be read, or the test file not at all. */
  readonly compilation?: Compilation;
  readonly diagnostics: readonly Diagnostic[];
}

/** Most errors of a pipeline that the finding about it shows. */
const mostErrors = 3;

/** Reads test files, compiles their pipelines, and plays their cases. */
export class TestPlayer {
  readonly #io: Pick<Io, 'stdin' | 'cwd' | 'env' | 'stderr'>;
  readonly #args: ExtensionArguments;
  #extensionsOf: ReturnType<typeof extensionsForEach>;

  constructor(args: ExtensionArguments, io: Pick<Io, 'stdin' | 'cwd' | 'env' | 'stderr'>) {
    this.#args = args;
    this.#io = io;
    this.#extensionsOf = extensionsForEach(args, io);
  }

  /** Reads the configuration again, at the next file. */
  forgetConfiguration(): void {
    this.#extensionsOf = extensionsForEach(this.#args, this.#io);
  }

  /** @throws UsageError for a test file that cannot be read */
  async load(testFile: string): Promise<LoadedFile> {
    const { name, text } = await readSource(testFile, this.#io);
    const read = readTestFile(text, name);
    const pipeline = pipelineOf(testFile, read.file?.pipeline);
    if (read.file === undefined) return { read, pipeline, diagnostics: read.diagnostics };
    try {
      const compilation = await this.compile(pipeline);
      const diagnostics =
        compilation.program === undefined
          ? [invalidPipeline(compilation, read)]
          : checkCases(read.file, compilation.program, read.document);
      return { read, pipeline, compilation, diagnostics };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { read, pipeline, diagnostics: [unreadablePipeline(error.message, read)] };
    }
  }

  /** Compiles a pipeline. @throws UsageError if it cannot be read */
  async compile(pipeline: string): Promise<Compilation> {
    const { name, text } = await readSource(pipeline, this.#io);
    const extensions = await this.#extensionsOf(pipeline);
    const files = pipelineFiles(path.resolve(this.#io.cwd(), pipeline), { directory: this.#io.cwd() });
    return compile(text, { name, ...compileOptionsOf(extensions), files });
  }

  /** Plays the cases of a file whose names contain a text. */
  async play({ read, pipeline, compilation, diagnostics }: LoadedFile, filter = ''): Promise<FileResult> {
    const program = compilation?.program;
    if (read.file === undefined || program === undefined || diagnostics.length > 0)
      return { read, pipeline, compilation, diagnostics, cases: [] };
    const wanted = read.file.cases
      .map((one, index) => ({ one, index }))
      .filter(({ one }) => one.name.includes(filter));
    const needsCost = wanted.some(({ one }) => one.expect.cost_at_most !== undefined);
    const costOf = needsCost
      ? await costOfRequests(program.graph, (await this.#extensionsOf(pipeline)).settings)
      : undefined;
    const cases = [];
    for (const { one, index } of wanted)
      cases.push(await runCase(program, one, index, read, costOf, () => performance.now()));
    return { read, pipeline, compilation, diagnostics, cases };
  }
}

function invalidPipeline({ source, diagnostics }: Compilation, { document }: ReadTestFile): Diagnostic {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const related = errors
    .slice(0, mostErrors)
    .map(({ rule, message, span }) => ({ message: `${rule}: ${message}`, span, source }));
  const message = `the pipeline ${source.name} has ${counted(errors.length, 'error')}, so it cannot be tested`;
  const found = finding(
    'pipeline',
    message,
    spanAt(document, ['pipeline']),
    `\`attractor lint ${source.name}\` shows them`,
  );
  return { ...found, related };
}

function unreadablePipeline(message: string, { document, file }: ReadTestFile): Diagnostic {
  const help =
    file?.pipeline === undefined
      ? 'name it with the key `pipeline`, relative to this file'
      : 'the path is relative to this file';
  return finding('pipeline', message, spanAt(document, ['pipeline']), help);
}

/** Names a case that a filter may have meant. */
export function nearestCase(filter: string, files: readonly LoadedFile[]): string | undefined {
  const names = files.flatMap(({ read }) => read.file?.cases.map(({ name }) => name) ?? []);
  return nearestName(filter, names);
}
