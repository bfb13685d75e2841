/** Settings of the section `attractor` of an editor. */
export interface Settings {
  /** False leaves out the configuration file and its plugins, as `--no-config` does. */
  readonly configuration: boolean;
  /** False lets no shell check the commands of tools. */
  readonly checkShell: boolean;
  /** Pause in typing before the rules that follow control are checked, in milliseconds. */
  readonly pauseMs: number;
  /** Hints inside the text. */
  readonly inlayHints: boolean;
  /** Commands above the text. */
  readonly codeLens: boolean;
}

export const defaultSettings: Settings = {
  configuration: true,
  checkShell: true,
  pauseMs: 300,
  inlayHints: true,
  codeLens: true,
};

/** Settings of what an editor sends, which may be anything: a value of the wrong type counts as missing. */
export function readSettings(sent: unknown): Settings {
  const own = isRecord(sent) && isRecord(sent.attractor) ? sent.attractor : sent;
  if (!isRecord(own)) return defaultSettings;
  const flag = (name: 'configuration' | 'checkShell' | 'inlayHints' | 'codeLens'): boolean =>
    typeof own[name] === 'boolean' ? own[name] : defaultSettings[name];
  const { pauseMs } = own;
  return {
    configuration: flag('configuration'),
    checkShell: flag('checkShell'),
    inlayHints: flag('inlayHints'),
    codeLens: flag('codeLens'),
    pauseMs:
      typeof pauseMs === 'number' && pauseMs >= 0 && pauseMs <= 60_000 ? pauseMs : defaultSettings.pauseMs,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
