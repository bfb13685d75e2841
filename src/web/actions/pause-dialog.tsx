import { useState } from 'preact/hooks';
import type { PauseRequestBody } from '../../server/api/run.js';
import { tell } from '../ui/toasts.jsx';
import type { ActionDialogProps } from './action-dialog-props.js';
import { ActionForm } from './action-form.jsx';
import { RadioGroup } from './radio-group.jsx';
import { useAction } from './use-action.js';

/** Asks a run to pause: when its stages are through, or at once. */
export function PauseDialog({ run, onClose, onDone }: ActionDialogProps) {
  const [mode, setMode] = useState<'after_stage' | 'now'>('after_stage');
  const [reason, setReason] = useState('');
  const pending = useAction(run.id, 'pause');
  const submit = (): void => {
    const said = reason.trim();
    const body: PauseRequestBody = { mode, reason: said || undefined };
    void pending.ask(body, ({ status }) => {
      tell(status === 'paused' ? `Paused ${run.name}` : `${run.name} pauses soon`, 'waiting');
      onClose();
      onDone();
    });
  };
  return (
    <ActionForm
      title={`Pause ${run.name}`}
      verb="Pause"
      pending={pending}
      onSubmit={submit}
      onClose={onClose}
    >
      <RadioGroup
        legend="When"
        value={mode}
        onChange={setMode}
        options={[
          {
            value: 'after_stage',
            text: 'After the running stages',
            note: 'Nothing is lost. A stage that takes long delays the pause.',
          },
          {
            value: 'now',
            text: 'Now',
            note: 'Running stages are stopped, and start again when the run is resumed.',
          },
        ]}
      />
      <label class="field">
        Reason (optional)
        <input
          type="text"
          maxLength={1000}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
    </ActionForm>
  );
}
