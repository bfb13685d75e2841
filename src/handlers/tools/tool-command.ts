import { textOfValue } from '../../graph/look-up.js';
import {
  describeRefusedPlace,
  nodeShellTemplate,
  type ShellPart,
  shellReference,
} from '../../graph/templates.js';
import { type Stage, StageCrash } from '../handler.js';
import { valueForStage } from '../stage-values.js';

/** Command for the shell, with the variables for its values. */
export interface ToolCommand {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Limit of the system for one variable: its name, `=`, its value and a NUL. */
const longestVariable = 128 * 1024;

/**
 * Command of a tool with its values (SEMANTICS §12, 60). A value reaches the shell as a variable, never as
 * a part of the command, so that nothing in it is ever executed or split; the quoting of the reference
 * depends on its position.
 * @throws StageCrash for a value at a position where it cannot be inserted
 */
export function toolCommand(stage: Stage): ToolCommand {
  const variables: Variables = new Map();
  const { parts } = nodeShellTemplate(stage.node, 'tool_command');
  const command = parts.map((part) => textOf(stage, part, variables)).join('');
  const environment = Object.fromEntries([...variables.values()].map(({ name, value }) => [name, value]));
  return { command, environment };
}

/** Variables by path. */
type Variables = Map<string, Variable>;

interface Variable {
  readonly name: string;
  readonly value: string;
}

function textOf(stage: Stage, part: ShellPart, variables: Variables): string {
  switch (part.kind) {
    case 'literal':
    case 'malformed':
      return part.text;
    case 'refused':
      throw refused(stage, part.path, `stands ${describeRefusedPlace(part.place)}`);
    case 'value': {
      const { name, value } = variableFor(stage, part.path, variables);
      if (part.quoting === 'arithmetic' && !/^(?:[-+]?[0-9]+)?$/.test(value)) {
        const shown = JSON.stringify(value.slice(0, 40));
        throw refused(stage, part.path, `is calculated with, and is not a whole number: ${shown}`);
      }
      return shellReference(part.quoting, name);
    }
  }
}

function variableFor(stage: Stage, path: string, variables: Variables): Variable {
  const known = variables.get(path);
  if (known !== undefined) return known;
  const name = `ATTRACTOR_VALUE_${variables.size + 1}`;
  const value = textOfValue(valueForStage(stage, path)).replaceAll('\0', '');
  const length = Buffer.byteLength(value);
  if (length + name.length + 2 > longestVariable) {
    throw refused(stage, path, `is ${length} bytes, ${tooLong}`);
  }
  const variable = { name, value };
  variables.set(path, variable);
  return variable;
}

const tooLong =
  'more than the 128 KiB that a command can receive; let the tool read it from a file, such as the stdout.log of the stage that wrote it, below $ATTRACTOR_LOGS_ROOT';

function refused(stage: Stage, path: string, why: string): StageCrash {
  return new StageCrash(`"\${${path}}" in the tool_command of "${stage.node.id}" ${why}`, {
    retryable: false,
  });
}
