import "./tokens.css";
import "./page.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./places/App";
import { showTheme } from "./state/page/theme";
import { startSync } from "./state/sync";

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
