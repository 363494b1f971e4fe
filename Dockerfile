FROM python:3.11-slim

RUN useradd --create-home headlight
WORKDIR /headlight

COPY requirements.txt .
RUN pip install --no-cache-dir --requirement requirements.txt

COPY app app
COPY assets assets
COPY core core
COPY pages pages
COPY LICENSE NOTICE ./

USER headlight
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD ["python", "-c", \
    "from urllib.request import urlopen; urlopen('http://localhost:8501/_stcore/health')"]
CMD ["python", "-m", "streamlit", "run", "app/main.py", \
    "--server.address=0.0.0.0", "--server.headless=true"]
