// The manual has no program of its own: this takes over the theme that its reader chose on
// the page, and brings the styles.
import { recall } from "../base/memory.ts";
import "./manual.css";

const kept = recall("theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
