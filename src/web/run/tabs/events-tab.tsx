import { useMemo, useState } from 'preact/hooks';
import { stripStyles } from '../../../diagnostic/terminal-text.js';
import type { RunEvent } from '../../../machine/event.js';
import { Button } from '../../ui/button.jsx';
import { EmptyState } from '../../ui/empty-state.jsx';
import { type EventGroup, EventList, eventGroups, groupsOf } from '../model/event-list.js';
import type { LiveRun } from '../model/live-run.js';
import { WindowedList } from '../windowed-list.jsx';

const rowHeight = 28;

/** Events of a run (§9.6): filtered, paused, and each opened in full. */
export function EventsTab({ live }: { readonly live: LiveRun }) {
  const [group, setGroup] = useState<EventGroup>('all');
  const [text, setText] = useState('');
  const [follows, setFollows] = useState(true);
  const [open, setOpen] = useState<RunEvent>();
  const list = useMemo(() => new EventList(live.events), [live]);
  const { events } = live.now();
  const found = list.matching({ group, text });
  const eventAt = (index: number): RunEvent | undefined => events[found[index] ?? -1];
  return (
    <div class="events">
      <div class="row events-filter">
        <label class="field events-search">
          <span class="visually-hidden">Find events by stage or words</span>
          <input
            type="search"
            placeholder="Stage or words"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span class="visually-hidden">Kind of event</span>
          <select value={group} onChange={({ currentTarget }) => setGroup(currentTarget.value as EventGroup)}>
            {eventGroups.map((name) => (
              <option key={name} value={name}>
                {groupTitles[name]}
              </option>
            ))}
          </select>
        </label>
        <Button
          icon={follows ? 'paused' : 'play'}
          aria-pressed={follows}
          onClick={() => setFollows(!follows)}
          aria-label="Follow the latest event"
        >
          {follows ? 'Hold still' : 'Follow'}
        </Button>
        <span class="muted small number">
          {found.length === events.length ? `${found.length}` : `${found.length} of ${events.length}`}{' '}
          {events.length === 1 ? 'event' : 'events'}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState
          title={events.length === 0 ? 'Nothing has happened yet' : 'No event is like that'}
          icon="search"
        />
      ) : (
        <WindowedList
          label="Events"
          class="event-list"
          count={found.length}
          rowHeight={rowHeight}
          followsEnd={follows}
          onAtEnd={(isAtEnd) => !isAtEnd && setFollows(false)}
          row={(index) => <EventRow event={eventAt(index)} />}
          onOpen={(index) => setOpen(eventAt(index))}
        />
      )}
      {open !== undefined && (
        <section class="event-open" aria-label={`Event ${open.seq}`}>
          <div class="row event-open-head">
            <strong>
              {open.seq} {open.type}
            </strong>
            <Button
              look="quiet"
              icon="close"
              aria-label="Close the event"
              onClick={() => setOpen(undefined)}
            />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
          <pre class="text" tabIndex={0}>
            {JSON.stringify(open, null, 2)}
          </pre>
        </section>
      )}
    </div>
  );
}

const groupTitles: Readonly<Record<EventGroup, string>> = {
  all: 'All events',
  run: 'The run',
  stages: 'Stages',
  routing: 'Ways taken',
  models: 'Models and tools',
  people: 'Questions',
  problems: 'Problems',
};

function EventRow({ event }: { readonly event: RunEvent | undefined }) {
  if (event === undefined) return null;
  const isProblem = groupsOf(event).includes('problems');
  return (
    <span class="event-row" data-state={isProblem ? 'failed' : undefined}>
      <span class="muted number event-seq">{event.seq}</span>
      <time class="muted number" dateTime={event.timestamp}>
        {new Date(event.timestamp).toLocaleTimeString()}
      </time>
      <span class="event-type">{event.type}</span>
      <span class="event-text">
        {stripStyles(event.type === 'StageOutput' ? event.text : event.description)}
      </span>
    </span>
  );
}
