import path from 'node:path';

/** A way to call the command line; its own arguments follow `args`. */
export interface AttractorCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to those of the editor. */
  readonly env: Readonly<Record<string, string>>;
  /** Origin, as `attractor.path`, `node_modules` or `bundled`. */
  readonly origin: CommandOrigin;
}

export type CommandOrigin = 'setting' | 'workspace' | 'bundled';

export interface CommandChoice {
  /** Setting `attractor.path`; empty or undefined if there is none. */
  readonly setting: string | undefined;
  /** Paths of the folders of the workspace. */
  readonly folders: readonly string[];
  /** False for a workspace whose programs must not be started. */
  readonly isTrusted: boolean;
  /** Program that runs JavaScript files as Node does. */
  readonly node: string;
  /** Path of the command line that the extension brings. */
  readonly bundled: string;
  readonly home: string;
  exists(file: string): boolean;
}

/** Path of the command line below a folder where the package is installed. */
const installed = ['node_modules', 'attractor-dot', 'bin', 'attractor.js'];

/**
 * Command line to call: that of the setting, else that of the workspace, so that the editor agrees with the scripts of the project, else
 * the bundled one. In a workspace that is not trusted it is always the bundled one.
 */
export function chooseCommand(choice: CommandChoice): AttractorCommand {
  const { setting, folders, isTrusted, exists, bundled } = choice;
  if (isTrusted && setting !== undefined && setting.trim() !== '')
    return called(resolved(setting.trim(), choice), choice, 'setting');
  const own = isTrusted ? folders.map((folder) => path.join(folder, ...installed)).find(exists) : undefined;
  return own === undefined ? called(bundled, choice, 'bundled') : called(own, choice, 'workspace');
}

/** A bare name is looked up in PATH; anything else is a file, relative to the first folder. */
function resolved(setting: string, { folders: [folder = '.'], home }: CommandChoice): string {
  if (/^~[\\/]/.test(setting)) return path.join(home, setting.slice(2));
  return /[\\/]/.test(setting) ? path.resolve(folder, setting) : setting;
}

/** The editor runs JavaScript itself, so that no Node has to be installed. */
function called(file: string, { node }: CommandChoice, origin: CommandOrigin): AttractorCommand {
  if (!/\.[cm]?js$/.test(file)) return { command: file, args: [], env: {}, origin };
  return { command: node, args: [file], env: { ELECTRON_RUN_AS_NODE: '1' }, origin };
}
