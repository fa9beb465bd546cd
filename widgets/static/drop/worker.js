var u="/lib/python3.12/site-packages",w=`
from aidge_nb.report import tab as _tab

_page = _tab.Tab()

def call(method, given):
    if method == "offered":
        return "", _tab.offered(), b""
    error, found = _tab.answer(getattr(_page, method), given)
    return (error, "", b"") if error else ("", *found)

call
`,t=o=>self.postMessage(o),d=o=>new URL(o,self.location.href).href;async function l(){t({done:.05,words:"Loading Python \u2026"});let{loadPyodide:o}=await import(d("pyodide/pyodide.mjs")),n=fetch(d("aidge_nb.tar.gz")).then(a=>a.arrayBuffer()),e=await o({indexURL:d("pyodide/")});t({done:.5,words:"Loading NumPy \u2026"}),await e.loadPackage(["numpy"]),t({done:.75,words:"Loading aidge_nb \u2026"}),e.unpackArchive(await n,"gztar",{extractDir:u});let r=e.runPython(w);return({id:a,method:g,given:s})=>{let i=r(g,typeof s=="string"?s:e.toPy(s)),[y,f,p]=i.toJs();return i.destroy(),{id:a,error:y,text:f,data:p}}}var c=l();c.then(()=>t({done:1,words:""}),o=>t({done:-1,words:`Python could not be started: ${o}`}));self.onmessage=async({data:o})=>{let{id:n}=o;try{t((await c)(o))}catch(e){let r=`Python stopped: ${e}. Load the page again.`;t({id:n,error:r,text:"",data:new Uint8Array})}};
