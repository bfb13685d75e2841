import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, vi } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import type { ServerOptions } from '../../../src/server/server-options.js';
import { buildBundle } from '../docs/built.js';
import { lacksChromium, startChromium } from './chromium.js';
import { type PageServer, startPageServer } from './page-server.js';
import { closeWindows, type OpenPage, openPage, type Sight } from './screens.js';
import { cancelAll, submitAsking, submitUntil, untilRun } from './worlds.js';

/** A browser and a server for the tests of one file; what a test leaves behind is removed after it. */
export interface BrowserWorld {
  readonly browser: Browser;
  readonly server: PageServer;
  /** Opens the page as whoever started the server does. @param hash address after `/`, such as `#/runs/x` */
  open(hash?: string, sight?: Sight): Promise<OpenPage>;
  /** Submits a run, and waits until it has that status. */
  submit(submission: Submission, status: string): Promise<string>;
  /** Submits a run, and waits until it asks. */
  submitAsking(submission: Submission): Promise<string>;
  /** Waits until a run has that status. */
  untilStatus(id: string, status: string): Promise<void>;
}

/** Options of the server that are known once its plugins and files are. */
type Settings = Partial<ServerOptions>;

/**
 * Tests in a real browser against a real server, which are skipped where there is no Chromium.
 * @param tests given a world that is ready when a test or a hook runs
 */
export function inBrowser(name: string, settings: Settings, tests: (world: BrowserWorld) => void): void {
  // A browser on a busy machine takes its time.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });
  describe.skipIf(lacksChromium)(name, () => {
    let browser: Browser | undefined;
    let server: PageServer | undefined;
    const ready = <Thing>(thing: Thing | undefined): Thing => {
      if (thing === undefined) throw new Error('the browser and the server are there within tests only');
      return thing;
    };
    beforeAll(async () => {
      buildBundle();
      browser = await startChromium();
      server = await startPageServer(settings);
    });
    afterEach(async ({ task }) => {
      await closeWindows(ready(browser), task);
      await cancelAll(ready(server));
    });
    afterAll(async () => {
      await browser?.close();
      await server?.close();
    });
    tests({
      get browser() {
        return ready(browser);
      },
      get server() {
        return ready(server);
      },
      open: (hash, sight) => openPage(ready(browser), ready(server), hash, sight),
      submit: (submission, status) => submitUntil(ready(server), submission, status),
      submitAsking: (submission) => submitAsking(ready(server), submission),
      untilStatus: (id, status) => untilRun(ready(server), id, (run) => run.status === status),
    });
  });
}
