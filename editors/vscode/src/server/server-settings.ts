/** Settings of the language server, as `attractor lsp` reads them. */
export type ServerSettings = Readonly<Record<string, unknown>>;

/**
 * Settings that the server gets. In a workspace that is not trusted it loads no plugins and starts no shell, whatever the settings
 * say.
 */
export function serverSettings(settings: ServerSettings, isTrusted: boolean): ServerSettings {
  return isTrusted ? settings : { ...settings, configuration: false, checkShell: false };
}
