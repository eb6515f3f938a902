import { Button } from "../../parts/Button";
import { setTheme, THEMES, useTheme } from "../../state/page/theme";

/** Goes round system, light and dark. */
export function ThemeSwitch() {
  const theme = useTheme((state) => state.theme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <Button
      look="quiet"
      className="theme"
      title={`Theme: ${theme}. Change to ${next}`}
      aria-label={`Theme: ${theme}`}
      onClick={() => setTheme(next)}
    >
      <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
        <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path
          d={theme === "light" ? "" : "M8 1.800a6.200 6.200 0 0 1 0 12.400z"}
          fill="currentColor"
        />
        {theme === "dark" && <circle cx="8" cy="8" r="6.200" fill="currentColor" />}
      </svg>
    </Button>
  );
}
