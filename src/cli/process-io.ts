import type { Io } from './io.js';
import { standardOutput } from './standard-output.js';

/** This process, whose streams are opened when they are needed. */
export function processIo(here: NodeJS.Process): Io {
  return {
    get stdin() {
      return here.stdin;
    },
    stdout: standardOutput(1, () => here.stdout, here.platform),
    stderr: standardOutput(2, () => here.stderr, here.platform),
    env: here.env,
    cwd: () => here.cwd(),
    on: (event, listener) => here.on(event, listener),
    off: (event, listener) => here.off(event, listener),
  };
}
