import path from 'node:path';
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

/** Limit of the system for one variable of an environment: its name, `=`, its value and a NUL. */
const longestVariable = 128 * 1024;

/**
 * Command of a tool with its values (SEMANTICS §12, 60). A value reaches the shell as a variable, never as
 * a part of the command, so that nothing in it is ever executed or split; the quoting of the reference
 * depends on its position. A value above the limit of the system comes in a file, from which the shell reads it first.
 * @throws StageCrash for a value at a position where it cannot be inserted
 */
export function toolCommand(stage: Stage): ToolCommand {
  const variables: Variables = new Map();
  const { parts } = nodeShellTemplate(stage.node, 'tool_command');
  const written = parts.map((part) => textOf(stage, part, variables)).join('');
  const environment: Record<string, string> = {};
  let reading = '';
  for (const { name, value } of variables.values()) {
    if (Buffer.byteLength(value) + name.length + 2 <= longestVariable) environment[name] = value;
    else {
      const file = `${name.toLowerCase()}.txt`;
      stage.writeFile(file, value);
      environment[`${name}_FILE`] = path.join(stage.stageDirectory, file);
      // The substitution removes line ends, but none before the last character.
      reading += `${name}=$(cat "$${name}_FILE"; printf x); ${name}=\${${name}%x}; `;
    }
  }
  return { command: `${reading}${written}`, environment };
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

function variableFor(stage: Stage, key: string, variables: Variables): Variable {
  const known = variables.get(key);
  if (known !== undefined) return known;
  const name = `ATTRACTOR_VALUE_${variables.size + 1}`;
  const value = textOfValue(valueForStage(stage, key)).replaceAll('\0', '');
  const variable = { name, value };
  variables.set(key, variable);
  return variable;
}

function refused(stage: Stage, key: string, why: string): StageCrash {
  return new StageCrash(`"\${${key}}" in the tool_command of "${stage.node.id}" ${why}`, {
    retryable: false,
  });
}
