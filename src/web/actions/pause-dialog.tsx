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
            text: 'After the stages that work now',
            note: 'Nothing is lost. A stage that takes long delays the pause.',
          },
          {
            value: 'now',
            text: 'Now',
            note: 'Stages that work now are broken off, and begin again when the run is resumed.',
          },
        ]}
      />
      <label class="field">
        Reason, for whoever finds it paused (optional)
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
