import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Submission } from '../../../src/server/api/run.js';
import { type MockModels, mockModels, says } from '../../support/mock-models.js';
import { inBrowser } from './in-browser.js';
import { isFocused, tabTo } from './keyboard.js';
import { expectAccessible, keepPicture } from './screens.js';

// SEMANTICS 129: words of a person to the model of a running stage.

const planned: Submission = {
  dot: `digraph planned {
    start [shape=Mdiamond] exit [shape=Msquare]
    plan [label="Plan", prompt="Choose a database."]
    start -> plan -> exit
  }`,
};

/** A model that answers its first request only when it may. */
async function patientModel() {
  const asked = signal();
  const allowed = signal();
  const response = async () => {
    asked.give();
    await allowed.given;
    return { content: 'SQLite.' };
  };
  const mock = await mockModels([{ response }, says('PostgreSQL, as you say.')]);
  return { mock, asked: asked.given, goOn: allowed.give };
}

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

function wordsTo({ requests }: MockModels, request: number): string {
  return JSON.stringify(requests()[request]?.body.messages);
}

inBrowser('steering in a browser', 'no server', (world) => {
  it.each(['light', 'dark', 'phone'] as const)(
    'words that are typed reach the model of a running stage (%s)',
    async (sight) => {
      const { mock, asked, goOn } = await patientModel();
      const server = await world.serve({
        extensions: { config: false, provider: 'anthropic', model: 'claude-sonnet-4-5' },
        variables: { ...mock.variables, PATH: process.env.PATH },
      });
      const id = await world.submit(planned, 'running');
      await asked;
      const { page, complaints } = await world.open(`#/runs/${id}/stages/plan`, sight);
      const stage = page.locator('.inspector');
      const field = stage.getByLabel('Tell it something while it works');
      const tell = stage.getByRole('button', { name: 'Tell' });
      await tabTo(page, field);
      expect(await tell.isDisabled()).toBe(true);
      await page.keyboard.type('Use PostgreSQL.');
      await page.keyboard.press('Control+Enter');
      const said = stage.getByRole('listitem').filter({ hasText: 'Use PostgreSQL.' });
      await said.getByText('waits for its next request').waitFor();
      // The event may come before the answer to the request, which empties the field.
      await expect.poll(() => field.inputValue()).toBe('');
      expect(await isFocused(field)).toBe(true);
      await page.keyboard.type('And say why');
      await keepPicture(page, `steering-${sight}`);
      await expectAccessible(page);
      await tabTo(page, tell);
      await page.keyboard.press('Enter');
      await stage.getByRole('listitem').filter({ hasText: 'And say why' }).waitFor();
      await expect.poll(() => field.inputValue()).toBe('');
      expect(await isFocused(field)).toBe(true);
      goOn();
      await world.until(id, 'success');
      await expect.poll(() => said.innerText(), { timeout: 60_000 }).toContain('the model has it');
      await field.waitFor({ state: 'detached' });
      expect(mock.requests()).toHaveLength(2);
      expect(wordsTo(mock, 1)).toMatch(/SQLite\..*Use PostgreSQL\..*And say why/);
      await stage.getByText('PostgreSQL, as you say.').first().waitFor();
      await keepPicture(page, `steering-done-${sight}`);
      const conversation = readFileSync(
        path.join(server.directory, '.attractor/runs', id, 'plan/conversation.jsonl'),
        'utf8',
      );
      expect(conversation.match(/"kind":"person"/g)).toHaveLength(2);
      expect(complaints).toEqual([]);
    },
  );
});
