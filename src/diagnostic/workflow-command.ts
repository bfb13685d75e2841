/**
 * Workflow command of GitHub Actions, without its line break.
 * @param properties those that are undefined are left out
 */
export function workflowCommand(
  name: string,
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const given = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${property(String(value))}`],
  );
  return `::${name}${given.length === 0 ? '' : ` ${given.join(',')}`}::${data(message)}`;
}

/** Escapes characters that would end the command, or be taken for an escape. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
