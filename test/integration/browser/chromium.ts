import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** What `CHROMIUM` names, else one where systems have it. */
const executable =
  process.env.CHROMIUM ??
  [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ].find((file) => existsSync(file));

/** Where there is no Chromium, tests in a browser are left out, aloud; never where changes are checked for all. */
export const lacksChromium = executable === undefined && process.env.CI === undefined;
if (lacksChromium)
  console.warn('test/integration/browser is skipped: no Chromium found; install one, or name it in CHROMIUM');

/** Starts the browser; whoever does closes it. */
export async function startChromium(): Promise<Browser> {
  if (executable === undefined || !existsSync(executable)) {
    const found =
      executable === undefined ? 'none is found' : `CHROMIUM names ${executable}, which is not there`;
    throw new Error(`it must be tried in Chromium, and ${found}: install the package chromium`);
  }
  // Without the sandbox, which needs rights that a container does not give; the pages are our own.
  // On a machine that is busy with other tests, it takes its time to start.
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox'], timeout: 150_000 });
}
