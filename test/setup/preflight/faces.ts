import path from 'node:path';
import { run } from '../../../src/index.js';
import type { Finding } from '../../../src/setup/preflight/finding.js';
import { attractor } from '../../cli/attractor.js';
import { askedServer } from '../../server/asked-server.js';
import { directoryWith } from '../../support/directory-with.js';

/** A project with a pipeline, `main.dot`, and the environment in which it is to run. */
export interface Project {
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of the command line, and the same as the body of a request. */
  readonly args?: readonly string[];
  readonly body?: object;
}

export interface Refusal {
  /** Exit status, or HTTP status. */
  readonly status: number;
  readonly findings: readonly Finding[];
  readonly diagnostics: readonly { readonly rule: string; readonly severity: string }[];
  /** Message of a server. */
  readonly problem?: string;
  /** What is in the directory afterwards. */
  readonly directory: string;
}

/** The ways to run a pipeline, each of which looks at the same things before. */
export type Face = 'run' | 'resume' | 'serve' | 'doctor';

/** What a face says about a project that it does not run. */
export async function askFace(face: Face, project: Project): Promise<Refusal> {
  const directory = directoryWith(project.files);
  switch (face) {
    case 'run':
      return ofCommand(['run', 'main.dot', '--json', ...(project.args ?? [])], directory, project);
    case 'doctor':
      return ofCommand(['doctor', 'main.dot', '--json', ...(project.args ?? [])], directory, project);
    case 'resume': {
      await beginRun(directory, project.files['main.dot'] ?? '');
      const words = ['resume', 'r', '--no-simulate', '--from', 'first', '--json', ...(project.args ?? [])];
      return ofCommand(words, directory, project);
    }
    case 'serve':
      return ofServer(directory, project, true);
  }
}

/** A run of the pipeline that stands still, so that it can be resumed: all of it was simulated. */
async function beginRun(directory: string, dot: string): Promise<void> {
  const result = await run(dot, {
    simulate: true,
    inputs: {},
    workingDirectory: directory,
    sourcePath: path.join(directory, 'main.dot'),
    runDirectory: path.join(directory, 'r'),
  });
  if (result.status === 'invalid') throw new Error(JSON.stringify(result.diagnostics));
}

async function ofCommand(words: readonly string[], directory: string, { env }: Project): Promise<Refusal> {
  const { status, stdout, stderr } = await attractor(words, { cwd: directory, env: { PATH: '', ...env } });
  if (stdout === '') throw new Error(stderr);
  const { findings = [], diagnostics = [], pipeline } = JSON.parse(stdout);
  return { status, findings, diagnostics, directory, ...pipeline };
}

/** What a server answers to a submission. */
export async function ofServer(directory: string, project: Project, allowTools: boolean): Promise<Refusal> {
  const hasConfiguration = project.files['attractor.config.json'] !== undefined;
  const { post } = await askedServer({
    allowTools,
    workingDirectory: directory,
    variables: { PATH: '', ...project.env },
    extensions: hasConfiguration ? {} : { config: false },
  });
  const response = await post('/pipelines', { dot: project.files['main.dot'], ...project.body });
  const body = (await response.json()) as Partial<Refusal> & {
    readonly error?: { readonly message: string };
  };
  const { findings = [], diagnostics = [], error } = body;
  return { status: response.status, findings, diagnostics, problem: error?.message, directory };
}
