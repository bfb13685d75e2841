import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from './temporary-directory.js';

const longestMs = 600_000;

/** Programs without which SPIN proves nothing; what is not installed. */
export function missingForSpin(): readonly string[] {
  return ['spin', 'cc'].filter(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
}

/** Verifier of a Promela model, compiled once. */
export interface Verifier {
  /**
   * Visits every state of the model.
   * @param environment variables that its C code reads
   * @returns lines that its C code prints
   */
  explore(environment: Readonly<Record<string, string>>): readonly string[];
  /** True if a run passes labels `accept…` again and again, without an end. */
  hasAcceptanceCycle(environment: Readonly<Record<string, string>>): boolean;
  /** True if a run breaks a formula of the model. */
  breaks(formula: string, environment: Readonly<Record<string, string>>): boolean;
}

/** Compiles a model in a directory that is gone after the test. */
export function compilePromela(model: string): Verifier {
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, 'model.pml'), model);
  const inDirectory = { cwd: directory, stdio: 'pipe', timeout: longestMs } as const;
  const build = (program: string, args: readonly string[]): void => {
    const { status, stdout, stderr } = spawnSync(program, args, { ...inDirectory, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} fails:\n${stdout}${stderr}\n${model}`);
  };
  build('spin', ['-a', 'model.pml']);
  build('cc', ['-O0', '-w', '-DNOFAIR', '-DNOREDUCE', '-o', 'verifier', 'pan.c']);
  const verify = (options: readonly string[], environment: Readonly<Record<string, string>>): string => {
    const args = ['-m200000', '-w18', '-n', ...options];
    const printed = execFileSync(path.join(directory, 'verifier'), args, {
      ...inDirectory,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
      maxBuffer: 1 << 30,
    });
    // A search that is cut off proves nothing.
    if (
      /max search depth too small|out of memory|Search not completed/.test(printed) &&
      !/pan:1: (acceptance cycle|claim violated|assertion violated)/.test(printed)
    )
      throw new Error(`the search of SPIN is not complete:\n${printed}`);
    return printed;
  };
  return {
    explore(environment) {
      const printed = verify(['-c0'], environment);
      if (!/errors: 0/.test(printed)) throw new Error(`SPIN finds an error in the model:\n${printed}`);
      return printed.split('\n');
    },
    hasAcceptanceCycle: (environment) => /acceptance cycle/.test(verify(['-a'], environment)),
    breaks: (formula, environment) => {
      const printed = verify(['-a', '-N', formula], environment);
      if (!/^ltl|Never claim|never claim/m.test(printed))
        throw new Error(`no formula ${formula}:\n${printed}`);
      return /errors: [1-9]/.test(printed);
    },
  };
}
