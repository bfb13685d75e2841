/** Made on first use, because classes of characters are slow to build and most processes run elsewhere. */
let marks: { readonly commandStart: RegExp; readonly oldCommand: RegExp } | undefined;

function commandMarks() {
  // A runner may ignore them when it compares texts: they must not hide a command.
  const ignorable = String.raw`\p{Default_Ignorable_Code_Point}\p{Cc}`;
  return {
    // Runners trim a line before they look at its beginning.
    commandStart: new RegExp(String.raw`^([\s${ignorable}]*:)([${ignorable}]*:)`, 'u'),
    oldCommand: new RegExp(String.raw`(#[${ignorable}]*#)([${ignorable}]*\[)`, 'gu'),
  };
}

/**
 * Text in which a runner of GitHub Actions finds no workflow command: neither `::name::` at the beginning of a line, nor
 * the old `##[name]` anywhere. Such lines get a blank within the mark.
 */
export function withoutCommands(text: string): string {
  marks ??= commandMarks();
  const { commandStart, oldCommand } = marks;
  return text
    .split(/(\r\n|\n|\r)/)
    .map((line) => line.replace(commandStart, '$1 $2').replaceAll(oldCommand, '$1 $2'))
    .join('');
}

/** JSON with the same value in which a runner finds no workflow command. */
export function jsonWithoutCommands(json: string): string {
  // Only a string can have it, and never at the beginning of a line.
  return json.replaceAll('##[', '#\\u0023[');
}
