import { Toast } from "@base-ui/react/toast";
import { notices } from "../state/page/notices";
import "./notices.css";

const SHOWN_MS = 8000;
const MOST = 4;
/** Nothing in it waits for an answer. */
const NO_DIALOG = { role: "group", "aria-modal": undefined };

/** It can be pressed at any time, so it is never hidden from anybody. */
const IN_SIGHT = { "aria-hidden": undefined };

/** What went wrong just now, said once and out of the way. */
export function Notices() {
  return (
    <Toast.Provider toastManager={notices} timeout={SHOWN_MS} limit={MOST}>
      <Toast.Portal>
        <Toast.Viewport className="notices">
          <All />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function All() {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="notice" {...NO_DIALOG}>
      <div>
        <Toast.Title render={<div />} />
        <Toast.Description render={<small />} />
      </div>
      <Toast.Close aria-label="Dismiss" {...IN_SIGHT}>
        ×
      </Toast.Close>
    </Toast.Root>
  ));
}
