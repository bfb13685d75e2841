import { z } from 'zod';
import { BoundedOutput } from '../../bounded-output.js';
import { runShell, type ShellEnd } from '../../run-shell.js';
import { agentTool, ToolProblem } from './agent-tool.js';

const longestTimeoutSeconds = 3600;
const kept = { head: 8 * 1024, tail: 24 * 1024 };

/**
 * Runs a command in the working directory (SEMANTICS 95). It may do anything that the user may: confinement
 * ends here.
 */
export const runCommandTool = agentTool({
  name: 'run_command',
  description:
    'Runs a command by "sh -c" in the working directory and prints its exit code and what it printed. Nobody can type: it must not ask. Processes that it leaves in the background end with it.',
  input: z.strictObject({
    command: z.string().min(1),
    timeout_seconds: z.number().positive().max(longestTimeoutSeconds).optional(),
  }),
  async run({ command, timeout_seconds: seconds }, context) {
    const output = new BoundedOutput(kept, context.redactor);
    const timeout = seconds === undefined ? context.commandTimeout : seconds * 1000;
    const end = await runShell(
      {
        command,
        timeout,
        directory: context.root,
        environment: context.environment(),
        onOutput: (chunk) => output.add(chunk),
      },
      context.signal,
    );
    const text = output.end();
    const told = `${describeEnd(end, timeout)}\n${text === '' ? '[it printed nothing]' : text}`;
    if (end.kind === 'code' && end.code === 0) return told;
    throw new ToolProblem(told);
  },
});

function describeEnd(end: ShellEnd, timeout: number): string {
  switch (end.kind) {
    case 'code':
      return `exit code ${end.code}`;
    case 'signal':
      return `ended by ${end.signal}`;
    case 'timeout':
      return `stopped after ${timeout / 1000} seconds; set timeout_seconds if it needs more`;
    case 'error':
      return end.message;
  }
}
