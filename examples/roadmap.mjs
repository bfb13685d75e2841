// The work of the tools in roadmap.dot: `node roadmap.mjs STAGE FILE`. The file has the context of the run.
// Each stage prints its values as JSON.
import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const context = JSON.parse(readFileSync(process.argv[3], 'utf8'));
const { roadmap, check, git, max_tasks: maxTasks, tasks, task, completed, failed, tries } = context;
const sh = (command, env = {}) => execSync(command, { stdio: 'pipe', env: { ...process.env, ...env } });

/** Open tasks: list items with an empty box at the beginning of a line; indented lines below belong to them. */
function parse(text) {
  const found = [];
  let [section, number] = ['0.1', 0];
  for (const [line, content] of text.split('\n').entries()) {
    const [, newPhase] = /^## Phase ([^:]+):/i.exec(content) ?? [];
    const [, newSection] = /^### (\d+(?:\.\d+)+)\s/.exec(content) ?? [];
    const [, box, bold, plain] = /^[-*+] \[([ xX])\] +(?:\*\*(.+?)\*\*|(.+))/.exec(content) ?? [];
    if (newPhase ?? newSection) [section, number] = [newSection ?? `${newPhase.trim()}.1`, 0];
    if (box) number += 1;
    if (box)
      found.push({ id: `${section}.${number}`, title: bold ?? plain, line, done: box !== ' ', details: '' });
    else if (/^\s+\S/.test(content) && found.length > 0) found.at(-1).details += `${content}\n`;
  }
  return found.filter(({ done }) => !done);
}

const stages = {
  parse: () => ({ tasks: parse(readFileSync(roadmap, 'utf8')) }),
  pick() {
    const next = tasks.find(({ id, line }) => ![...completed, ...failed].includes(`${line}: ${id}`));
    return { found: next ? 'yes' : 'no', task: next ?? null, tries: 0 };
  },
  context: () => ({ request: `Task ${task.id}: ${task.title}\n\n${task.details}`, hint: '' }),
  verify: () => ({ output: String(sh(check, { TASK_ID: task.id, TASK_TITLE: task.title })) }),
  checkpoint() {
    const lines = readFileSync(roadmap, 'utf8').split('\n');
    lines[task.line] = lines[task.line].replace('[ ]', '[x]');
    writeFileSync(roadmap, lines.join('\n'));
    if (git) sh('git add -A && git commit -qm "$TASK"', { TASK: `${task.id} ${task.title}` });
  },
  failure() {
    const { node, reason } = context['internal.last_failure'];
    const recoverable = node === 'verify' ? 'yes' : 'no';
    return { tries: tries + 1, hint: `The last try failed: ${reason}`, recoverable };
  },
  rollback: () => ({ reverted: git && String(sh('git reset -q --hard && git clean -fdq')) }),
  decide() {
    const settled = `${task.line}: ${task.id}`;
    const isDone = readFileSync(roadmap, 'utf8').split('\n')[task.line]?.includes('[x]');
    const [done, lost] = isDone ? [[...completed, settled], failed] : [completed, [...failed, settled]];
    return { completed: done, failed: lost, more: maxTasks > 0 && done.length >= maxTasks ? 'no' : 'yes' };
  },
};
try {
  process.stdout.write(JSON.stringify(stages[process.argv[2]]() ?? {}));
} catch ({ message, stdout = '', stderr = '' }) {
  console.error(`${stdout}${stderr}${message}`);
  process.exitCode = 1;
}
