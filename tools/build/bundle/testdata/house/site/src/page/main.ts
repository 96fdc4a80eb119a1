import "./page.css";
import { greet } from "./greet.ts";

greet(document.title);
