import { dismiss, useNotices } from "../state/notices";
import "./notices.css";

/** What went wrong just now, said once and out of the way. */
export function Notices() {
  const notices = useNotices((state) => state.notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map((notice) => (
        <div className="notice" key={notice.id}>
          <div>
            {notice.text}
            {notice.hint && <small>{notice.hint}</small>}
          </div>
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
