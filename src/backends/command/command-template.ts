/** What a command line of an agent can be given. */
const placeholders = [
  'prompt',
  'prompt_file',
  'model',
  'effort',
  'working_directory',
  'session',
  'stage_dir',
] as const;

export type Placeholder = (typeof placeholders)[number];

/** The values of a call; what is not known is not there. */
export type PlaceholderValues = Readonly<Partial<Record<Placeholder, string | undefined>>>;

const mark = /\{(\w+)\}/g;

/** What is wrong with the placeholders of a command line, in words; undefined where all of them are known. */
export function unknownPlaceholder(command: readonly string[]): string | undefined {
  const names = command.flatMap((part) => [...part.matchAll(mark)].map(([, name]) => name ?? ''));
  const stray = names.find((name) => !isPlaceholder(name));
  if (stray === undefined) return undefined;
  return `there is no placeholder {${stray}}; there are ${placeholders.map((name) => `{${name}}`).join(', ')}`;
}

/** Whether a command line asks for a value. */
export function asksFor(command: readonly string[], name: Placeholder): boolean {
  return command.some((part) => part.includes(`{${name}}`));
}

/**
 * A command line with values in place. An argument whose value is not known is left out, and with it the option before it
 * (`--model {model}`), so that the agent does as it does by itself.
 */
export function fillTemplate(command: readonly string[], values: PlaceholderValues): readonly string[] {
  const filled: string[] = [];
  for (const [index, part] of command.entries()) {
    if (isUnknown(part, values)) {
      if (isOption(command[index - 1])) filled.pop();
      continue;
    }
    filled.push(
      part.replace(mark, (text, name: string) => (isPlaceholder(name) ? (values[name] ?? '') : text)),
    );
  }
  return filled;
}

function isUnknown(part: string, values: PlaceholderValues): boolean {
  return [...part.matchAll(mark)].some(([, name = '']) => isPlaceholder(name) && values[name] === undefined);
}

function isOption(part: string | undefined): boolean {
  return part?.startsWith('-') === true && part !== '-' && !part.includes('{');
}

function isPlaceholder(name: string): name is Placeholder {
  return placeholders.some((one) => one === name);
}
