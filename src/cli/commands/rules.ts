import { padColumns, textColumns, wrapColumns } from '../../diagnostic/text-columns.js';
import type { RuleEntry } from '../../lint/rule-catalog.js';
import type { RuleSetting } from '../../lint/rule-settings.js';
import { type ExtensionArguments, extensionsFor } from '../../setup/extensions.js';
import type { CliCommand } from '../command.js';
import { exitCode } from '../exit-code.js';
import { addExtensionOptions } from '../extension-options.js';
import { type Io, usesColor } from '../io.js';
import { terminalJson } from '../output/terminal-json.js';

interface RulesOptions extends ExtensionArguments {
  readonly json?: true;
}

/** `attractor rules`: every rule with its severity, as the configuration of this directory has it (DESIGN §5). */
export const rulesCommand: CliCommand<RulesOptions> = {
  name: 'rules',
  summary: 'List the lint rules, with their severity and whether lint --fix can fix their findings',
  example: 'attractor rules',
  configure: (command) => addExtensionOptions(command.option('--json', 'print the list as JSON')),
  async run(_args, options, io) {
    const { ruleCatalog } = await import('../../lint/rule-catalog.js');
    const extensions = await extensionsFor('-', options, io);
    const rules = ruleCatalog(extensions.rules).map((rule) => ({
      ...rule,
      setting: extensions.ruleSettings.get(rule.id) ?? rule.severity,
    }));
    if (options.json) {
      io.stdout.write(`${terminalJson({ rules: rules.map(asJson) }, 2)}\n`);
    } else await printTable(rules, io);
    return exitCode.ok;
  },
};

interface ListedRule extends RuleEntry {
  readonly setting: RuleSetting;
}

function asJson({ id, setting, severity, summary, rationale, fixable, adjustable }: ListedRule) {
  return {
    id,
    severity: setting,
    default_severity: severity,
    fixable,
    adjustable,
    summary,
    rationale,
  };
}

async function printTable(rules: readonly ListedRule[], io: Io): Promise<void> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: usesColor(io, io.stdout) ? 1 : 0 });
  const paint = { error: chalk.red, warning: chalk.yellow, info: chalk.cyan, off: chalk.dim };
  const width = Math.max(...rules.map(({ id }) => textColumns(id)));
  const severityWidth = 'SEVERITY'.length;
  const indentation = width + severityWidth + 'FIX'.length + 6;
  // Output for another program has one line for each rule.
  const room = io.stdout.isTTY
    ? Math.max(24, (io.stdout.columns ?? 80) - indentation)
    : Number.POSITIVE_INFINITY;
  const header = `${padColumns('RULE', width)}  SEVERITY  FIX  WHAT MUST HOLD`;
  const lines = rules.flatMap(({ id, setting, fixable, summary }) => {
    const [first = '', ...rest] = wrapColumns(summary, room);
    const severity = paint[setting](padColumns(setting, severityWidth));
    const start = `${padColumns(id, width)}  ${severity}  ${fixable ? 'yes' : '   '}  ${first}`;
    return [start, ...rest.map((line) => ' '.repeat(indentation) + line)];
  });
  io.stdout.write([chalk.dim(header), ...lines].map((line) => `${line}\n`).join(''));
}
