import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import type { Span } from '../../../diagnostic/source.js';
import type { Attribute, Edge, Graph, Node } from '../../../graph/graph.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { parsedShellTemplate, shellReference } from '../../../graph/templates.js';
import { isPlainCommand } from '../../analysis/plain-command.js';
import { findingsInside } from '../../findings-inside.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';
import type { ShellProblem } from '../../shell-check.js';

/** §4.10, §9.7: commands are run by `sh -c`, so the shell must be able to parse them. */
export const shellSyntax: LintRule = {
  name: 'shell_syntax',
  severity: 'warning',
  summary: 'The shell can parse every command.',
  rationale:
    "A `tool_command` is run by `sh -c`. A command with a missing quote or `fi` always fails, without doing any work. The rule parses commands with the local shell (`sh -n`), which runs nothing; values such as `${context.file}` are treated as variables, as in a run. Without a shell, nothing is checked. Fix the command. If it needs more than `sh` offers, such as arrays, write `bash -c '…'` or move it to a script.",
  needsShell: true,
  *apply(graph, context) {
    const { checkShell, source } = context;
    if (checkShell === undefined) return;
    const commands = commandsOf(graph, context);
    const texts = [...new Set(commands.map(({ text }) => text))];
    if (texts.length === 0) return;
    const answers = checkShell(texts);
    const problems = new Map(texts.map((text, index) => [text, answers[index]]));
    for (const { attribute, text, place: location } of commands) {
      const problem = problems.get(text);
      if (problem === undefined) continue;
      for (const finding of findingsInside(attribute, [remark(attribute, problem)], source)) {
        yield { ...finding, ...location };
      }
    }
  },
};

interface Command {
  readonly attribute: Attribute;
  /** Text for the shell. */
  readonly text: string;
  readonly place: Pick<Finding, 'nodeId' | 'edge'>;
}

const hooks = ['tool_hooks.pre', 'tool_hooks.post'] as const;

/** Commands for a shell to check, each once. */
function commandsOf(graph: Graph, { handlerTypes }: LintContext): readonly Command[] {
  const commands = new Map<Attribute, Command>();
  const add = (
    attribute: Attribute | undefined,
    text: string | undefined,
    location: Command['place'],
  ): void => {
    if (attribute === undefined || text === undefined || commands.has(attribute)) return;
    if (text.trim() !== '' && !text.includes('\0') && !isPlainCommand(text)) {
      commands.set(attribute, { attribute, text, place: location });
    }
  };
  const addHooks = ({ attributes }: Graph | Node | Edge, location: Command['place']): void => {
    for (const name of hooks) {
      const attribute = attributes.get(name);
      if (attribute !== undefined) add(attribute, String(attribute.value), location);
    }
  };
  addHooks(graph, {});
  for (const node of graph.nodes.values()) {
    const location = { nodeId: node.id };
    addHooks(node, location);
    const attribute = node.attributes.get('tool_command');
    if (attribute === undefined || commands.has(attribute)) continue;
    if (handlerTypeOf(graph, node, handlerTypes).type === 'tool')
      add(attribute, withVariables(attribute), location);
  }
  return [...commands.values()];
}

/** Command with a variable for each value, as a run makes it; undefined if the run refuses to. */
function withVariables(attribute: Attribute): string | undefined {
  const text = String(attribute.value);
  if (!text.includes('${')) return text;
  let command = '';
  for (const part of parsedShellTemplate(attribute).parts) {
    switch (part.kind) {
      case 'literal':
      case 'malformed':
        command += part.text;
        break;
      case 'value':
        command += shellReference(part.quoting, 'ATTRACTOR_VALUE_1');
        break;
      case 'refused':
        return undefined;
    }
  }
  return command;
}

function remark(attribute: Attribute, { message, line }: ShellProblem): Diagnostic {
  return {
    rule: 'shell_syntax',
    severity: 'warning',
    message: `the shell cannot read this command: ${message}`,
    span: lineSpan(String(attribute.value), line),
    fix: { title: 'correct the command; `sh -n` checks it without running it', edits: [] },
  };
}

/**
 * Span of the line without blanks around it; of the whole text if it has one line only, or the shell gave
 * up after the last.
 */
function lineSpan(text: string, line: number): Span {
  const lines = text.split('\n');
  const found = lines[line - 1];
  if (lines.length === 1 || found === undefined || found.trim() === '') return { start: 0, end: text.length };
  const before = lines.slice(0, line - 1).reduce((length, { length: own }) => length + own + 1, 0);
  const start = before + found.length - found.trimStart().length;
  return { start, end: before + found.trimEnd().length };
}
