import { useState } from 'preact/hooks';
import { Button } from './button.jsx';
import { tell } from './toasts.jsx';

/** Puts a text on the clipboard. @param what names it: `the run id` */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      // A browser gives the clipboard only to safe addresses: https, or this machine.
      tell(`The browser does not let this page copy. Select and copy it yourself: ${text}`, 'failed');
    }
  };
  return (
    <>
      <Button
        look="quiet"
        icon={isCopied ? 'done' : 'copy'}
        aria-label={`Copy ${what}`}
        onClick={() => void copy()}
      />
      <span class="visually-hidden" role="status">
        {isCopied ? `Copied ${what}` : ''}
      </span>
    </>
  );
}
