console.log("kept", BUILD, FILES);
declare const BUILD: string, FILES: object;
