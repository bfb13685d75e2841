// A handler type of our own: `type="weather.fetch"` looks a city up. Plugins may be functions of the options that the
// configuration file gives them.
//
//   attractor run examples/plugins/handler.dot --plugin ./examples/plugins/handler.mjs

import { definePlugin } from 'attractor-dot';

const temperatures = new Map([
  ['Oslo', -2],
  ['Athens', 19],
]);

export default definePlugin((options) => ({
  name: 'weather',
  handlers: [
    {
      type: 'weather.fetch',
      // For lint, pictures and `--simulate`: it calls no model, and it does real work. These are the defaults.
      title: 'Weather report',
      llm: false,
      instant: false,
      handler: {
        execute({ node, log }) {
          const city = String(node.attributes.get('city')?.value ?? options?.city ?? 'Oslo');
          const temperature = temperatures.get(city);
          if (temperature === undefined) {
            // The graph decides where control goes after a failure.
            return { status: 'fail', failure_reason: `no weather report for ${city}` };
          }
          log('info', `asked about ${city}`);
          return { status: 'success', context_updates: { city, temperature } };
        },
      },
    },
  ],
}));
