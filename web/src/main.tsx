import "./tokens.css";
import "./page.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./places/App";
import { startSync } from "./state/sync";
import { showTheme } from "./state/theme";

showTheme();
void startSync();

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
